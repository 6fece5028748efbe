//! SVG, laid out so that it stays readable with any number of edges: nodes stand below each other in the order of the
//! file, each edge has a row of its own beside its node with id, target and guard, and runs to its target through a
//! lane that it shares with no other edge at that height. Ways down are on the right, ways back on the left.

use std::fmt::Write;

use super::{caption, colour, label};
use crate::{
    protocol::{Edge, OnFail, Protocol},
    words::EdgeClass,
};

const ROW: usize = 17;
const HEAD: usize = 26;
const GAP: usize = 16;
const LANE: usize = 9;
const TEXT: usize = 700;
const MARGIN: usize = 24;
const LEGEND: usize = 56;
/// Characters of a guard that fit into a row.
const LONGEST: usize = 84;

/// One line from a node to another.
struct Way<'p> {
    edge: &'p Edge,
    from_y: usize,
    to_y: usize,
    lane: usize,
    down: bool,
    /// Taken when the guard fails.
    reroute: bool,
}

pub fn svg(protocol: &Protocol) -> String {
    let tops = tops(protocol);
    let mut ways = ways(protocol, &tops);
    let (left, right) = (lanes(&mut ways, false), lanes(&mut ways, true));
    let box_left = MARGIN + (left + 2) * LANE;
    let box_right = box_left + TEXT;
    let width = box_right + (right + 2) * LANE + MARGIN;
    let height = tops.last().copied().unwrap_or(LEGEND) + MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escaped(&protocol.name)
    );
    legend(protocol, box_left, &mut text);
    for way in &ways {
        draw(way, box_left, box_right, &mut text);
    }
    for (at, top) in tops.iter().take(protocol.nodes.len()).enumerate() {
        node(protocol, at, *top, box_left, &mut text);
    }
    text.push_str("</svg>\n");
    text
}

fn outgoing(protocol: &Protocol, node: usize) -> impl Iterator<Item = &Edge> {
    protocol.edges.iter().filter(move |edge| edge.from == node)
}

/// The upper end of each node, and the lower end of the last.
fn tops(protocol: &Protocol) -> Vec<usize> {
    let mut counts = vec![0; protocol.nodes.len()];
    for edge in &protocol.edges {
        counts[edge.from] += 1;
    }
    let mut top = LEGEND;
    let mut tops = Vec::new();
    for count in counts {
        tops.push(top);
        top += HEAD + count * ROW + GAP;
    }
    tops.push(top);
    tops
}

fn ways<'p>(protocol: &'p Protocol, tops: &[usize]) -> Vec<Way<'p>> {
    let mut rows = vec![0; protocol.nodes.len()];
    let mut arrivals = vec![0; protocol.nodes.len()];
    let mut ways = Vec::new();
    for edge in &protocol.edges {
        let from_y = tops[edge.from] + HEAD + rows[edge.from] * ROW + ROW / 2;
        rows[edge.from] += 1;
        let reroute = match edge.on_guard_fail {
            OnFail::Reroute(target) => Some((target, true)),
            OnFail::Block | OnFail::Rerun | OnFail::Escalate => None,
        };
        for (target, reroute) in std::iter::once((edge.to, false)).chain(reroute) {
            // Arrivals are spread over the node's head, so that arrows stay apart.
            let to_y = tops[target] + 5 + (arrivals[target] * 3) % (HEAD - 8);
            arrivals[target] += 1;
            let from_y = if reroute { from_y + 4 } else { from_y };
            ways.push(Way { edge, from_y, to_y, lane: 0, down: target > edge.from, reroute });
        }
    }
    ways
}

/// Gives each way of one side a lane that is free along its height, short ways near the text. Returns how many there are.
fn lanes(ways: &mut [Way<'_>], down: bool) -> usize {
    let mut order: Vec<usize> = (0..ways.len()).filter(|way| ways[*way].down == down).collect();
    let span = |way: &Way<'_>| (way.from_y.min(way.to_y), way.from_y.max(way.to_y));
    order.sort_by_key(|way| {
        let (low, high) = span(&ways[*way]);
        (high - low, low)
    });
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    for way in order {
        let (low, high) = span(&ways[way]);
        let free =
            |spans: &Vec<(usize, usize)>| spans.iter().all(|(from, to)| high + 3 < *from || *to + 3 < low);
        let lane = taken.iter().position(free).unwrap_or_else(|| {
            taken.push(Vec::new());
            taken.len() - 1
        });
        taken[lane].push((low, high));
        ways[way].lane = lane;
    }
    taken.len()
}

fn draw(way: &Way<'_>, box_left: usize, box_right: usize, text: &mut String) {
    let (start, lane, sign) = if way.down {
        (box_right, box_right + (way.lane + 2) * LANE, -1_i64)
    } else {
        (box_left, box_left.saturating_sub((way.lane + 2) * LANE), 1)
    };
    let tip = start;
    let head = i64::try_from(tip).unwrap_or_default() - sign * 7;
    let dash = if way.reroute { " stroke-dasharray=\"4 3\"" } else { "" };
    let class = if way.reroute { EdgeClass::Exception } else { way.edge.class };
    let (from_y, to_y, colour) = (way.from_y, way.to_y, colour(class));
    let told = format!("{}{}", way.edge.id, if way.reroute { " when its guard fails" } else { "" });
    let _ = writeln!(
        text,
        "<g stroke=\"{colour}\" fill=\"none\"><title>{}</title>\
         <path d=\"M{start} {from_y}H{lane}V{to_y}H{head}\" stroke-width=\"1.3\"{dash}/>\
         <path d=\"M{tip} {to_y}l{} -3v6z\" fill=\"{colour}\" stroke=\"none\"/></g>",
        escaped(&told),
        -sign * 7
    );
}

fn node(protocol: &Protocol, at: usize, top: usize, left: usize, text: &mut String) {
    let node = &protocol.nodes[at];
    let edges: Vec<&Edge> = outgoing(protocol, at).collect();
    let height = HEAD + edges.len() * ROW;
    let (fill, stroke) = match (node.is_end, node.validator) {
        (true, _) => ("#eceff1", "#37474f"),
        (_, true) => ("#e8f0fe", "#1f5fa8"),
        _ => ("#fafafa", "#444444"),
    };
    let bold = if at == protocol.start { 2.5 } else { 1.0 };
    let _ = writeln!(
        text,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{TEXT}\" height=\"{height}\" rx=\"{}\" fill=\"{fill}\" stroke=\"{stroke}\" \
         stroke-width=\"{bold}\"/>",
        if node.is_end { 13 } else { 5 }
    );
    let mut head = caption(protocol, at);
    for (said, word) in [(at == protocol.start, "start"), (node.validator, "validator"), (node.is_end, "end")]
    {
        if said {
            let _ = write!(head, "  ·  {word}");
        }
    }
    if !node.subphases.is_empty() {
        let _ = write!(head, "  ·  {}", node.subphases.join(" "));
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" font-weight=\"bold\" font-size=\"13\">{}</text>",
        left + 12,
        top + 18,
        escaped(&mi_model::shorten(&head, 90))
    );
    for (row, edge) in edges.iter().enumerate() {
        let y = top + HEAD + row * ROW + ROW / 2 + 4;
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{y}\" fill=\"{}\"><tspan font-weight=\"bold\">{}</tspan> → {}</text>\
             <text x=\"{}\" y=\"{y}\" fill=\"#333333\" font-size=\"11\"><title>{}</title>{}</text>",
            left + 12,
            colour(edge.class),
            escaped(&mi_model::shorten(&edge.id, 14)),
            escaped(&mi_model::shorten(&protocol.nodes[edge.to].id, 20)),
            left + 190,
            escaped(&label(protocol, edge)),
            escaped(&mi_model::shorten(&label(protocol, edge), LONGEST))
        );
    }
}

fn legend(protocol: &Protocol, left: usize, text: &mut String) {
    let _ = writeln!(
        text,
        "<text x=\"{left}\" y=\"20\" font-size=\"16\" font-weight=\"bold\">{}</text>",
        escaped(&mi_model::shorten(&protocol.name, 80))
    );
    for (at, (word, class)) in EdgeClass::ALL.iter().enumerate() {
        let x = left + at * 87;
        let _ = writeln!(
            text,
            "<path d=\"M{x} 38h16\" stroke=\"{0}\" stroke-width=\"3\"/><text x=\"{1}\" y=\"42\" fill=\"{0}\">{word}</text>",
            colour(*class),
            x + 21
        );
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            char if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            char => safe.push(char),
        }
    }
    safe
}
