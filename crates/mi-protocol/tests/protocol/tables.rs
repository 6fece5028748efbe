//! Edge tables: in and out without losing a cell.

use crate::support::kinds;
use mi_protocol::{export, import};

fn round(table: &str) -> String {
    let yaml =
        import(table.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}: {}\n{table}", error.hint));
    export(yaml.as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}\n{yaml}")).csv
}

/// Same bytes for a minimally quoted table, whatever is in its cells.
#[test]
fn tables_come_back_as_they_were() {
    let cases = [
        "edge_id,source,target,v2_primary_class\nE1,A,B,Gate\n",
        "affected_edge,source,target,v2_primary_class,note\nE1,A,B,GateTransitionObject,\"a, \"\"b\"\"\nc\"\nE2,B,A,Loop,\n",
        "\u{feff}edge_id,source,target,v2_primary_class\r\nE1,A,B,Gate\r\n",
        "edge_id,source,target,v2_primary_class\nE1,A,B,Gate",
        "x,edge_id,x,source,target,v2_primary_class,,edge_id\n1,E1,2,A,B,Sync,3,4\n",
        "edge_id,source,target,v2_primary_class,guard_expr,on_guard_fail,policy_refs,audit_invariant_refs,trust_requirement\n\
         E1,A,B,Gate,state.gate_passed && 1 < 2,,TIME_HARD_FLOOR;PIPELINE_CONTINUITY,X ; Y,none\n\
         E2, A ,C,Meta,\"x == \"\"y\"\"\",reroute A,,,independent_verification_required\n\
         E3,A,C,Loop,,reroute:B,,,\n",
        "edge_id,source,target,v2_primary_class,cell\nE1,A,B,Gate,true\nE2,A,B,Gate,012\nE3,A,B,Gate,- [x]: #y\nE4,A,B,Gate,\u{1}\u{85}\u{2028}汉字\n",
    ];
    for table in cases {
        assert_eq!(round(table), table);
    }
}

/// Needless quotes go, cells stay.
#[test]
fn quoting_becomes_minimal() {
    let table = "\"edge_id\",source,target,\"v2_primary_class\"\n\"E1\",A,\"B\",Gate\n";
    assert_eq!(round(table), "edge_id,source,target,v2_primary_class\nE1,A,B,Gate\n");
}

/// Start, nodes and ends are read off the rows.
#[test]
fn an_imported_table_is_a_protocol() {
    let table = "edge_id,source,target,v2_primary_class,guard_expr\nE1,A,B,Gate,state.gate_passed\nE2,B,C,Progress,\n";
    let yaml = import(table.as_bytes(), "t").expect("a table");
    assert_eq!(kinds(&yaml), Vec::<String>::new());
    let protocol = crate::support::protocol(&yaml);
    assert_eq!(&*protocol.nodes[protocol.start].id, "A");
    let ends: Vec<bool> = protocol.nodes.iter().map(|node| node.is_end).collect();
    assert_eq!(ends, [false, false, true]);
}

/// A changed edge is exported as it is now; the rest of its cells stay.
#[test]
fn a_changed_edge_is_exported_as_it_is_now() {
    let table = "edge_id,source,target,v2_primary_class,note\nE1,A,B,GateTransitionObject,n\n";
    let yaml =
        import(table.as_bytes(), "t").expect("a table").replace("    class: Gate\n", "    class: Sync\n");
    assert_eq!(
        export(yaml.as_bytes()).expect("edges load").csv,
        "edge_id,source,target,v2_primary_class,note\nE1,A,B,Sync,n\n"
    );
    let guarded = yaml.replace("    class: Sync\n", "    class: Sync\n    guard_expr: state.gate_passed\n");
    assert_eq!(
        export(guarded.as_bytes()).expect("edges load").csv,
        "edge_id,source,target,v2_primary_class,note,guard_expr\nE1,A,B,Sync,n,state.gate_passed\n"
    );
}

/// Rules kept elsewhere do not hinder an export; edges that do not load do.
#[test]
fn export_needs_edges_only() {
    let file = "version: 9\nedges:\n  - { id: e, from: A, to: B, class: Gate, policy_refs: [ELSEWHERE] }\npolicies: 5\n";
    let table = export(file.as_bytes()).expect("edges load").csv;
    assert!(table.starts_with("edge_id,source,target,v2_primary_class,guard_expr"), "{table}");
    assert!(table.contains("e,A,B,Gate,,phase,,block,,ELSEWHERE,,none"), "{table}");
    assert!(export(b"edges:\n  - { id: e, from: A, class: Gate }\n").is_err());
    assert!(export(b"edges: [").is_err());
}

/// What is no table is refused with its line.
#[test]
fn bad_tables_are_refused_with_their_line() {
    let head = "edge_id,source,target,v2_primary_class\n";
    let cases: [(Vec<u8>, usize, &str); 10] = [
        (Vec::new(), 1, "empty"),
        (head.as_bytes().to_vec(), 1, "no rows"),
        (b"edge_id,source,v2_primary_class\nE1,A,Gate\n".to_vec(), 1, "target"),
        ([head.as_bytes(), b"E1,A,B,Gate\nE2,\xff\xfe,B,Gate\n"].concat(), 3, "UTF-8"),
        (format!("{head}E1,A,B\n").into_bytes(), 2, "3 cells"),
        (format!("{head}E1,A,B,Gate\n\n").into_bytes(), 3, "1 cells"),
        (format!("{head}E1,A,B,Gat\n").into_bytes(), 2, "never"),
        (format!("{head}E1,A,B,Gate\nE1,A,B,Gate\n").into_bytes(), 3, "already"),
        (format!("{head}\"E1,A,B,Gate\n").into_bytes(), 2, "does not end"),
        (format!("{head}E\"1,A,B,Gate\n").into_bytes(), 2, "quote"),
    ];
    for (bytes, line, message) in cases {
        let error = import(&bytes, "t").expect_err(message);
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(message), "{error}");
    }
}
