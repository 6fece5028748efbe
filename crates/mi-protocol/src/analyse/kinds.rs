//! `guard_type` is a promise about the guard: numbers, strings or a list must be compared in it.

use crate::{
    expr::ast::{Ast, Id, NodeKind},
    problem::{Kind, Problems},
    protocol::Protocol,
    state::FieldKind,
    words::GuardType,
};

pub fn guard_types(protocol: &Protocol, problems: &mut Problems) {
    for edge in &protocol.edges {
        let Some((wanted, place)) = edge.guard_type else { continue };
        let ast = edge.guard.map(|guard| &protocol.expressions[guard].checked.ast);
        let any = |test: &dyn Fn(&Ast, Id) -> bool| {
            ast.is_some_and(|ast| (0..ast.nodes.len()).any(|id| test(ast, id)))
        };
        let (kept, promise) = match wanted {
            GuardType::Boolean => continue,
            GuardType::Numeric => {
                (any(&|ast, id| compares(protocol, ast, id, Operand::Number)), "comparison of numbers")
            }
            GuardType::EnumMatch => {
                (any(&|ast, id| compares(protocol, ast, id, Operand::Text)), "comparison of strings")
            }
            GuardType::SetMembership => (any(&|ast, id| matches!(ast.kind(id), NodeKind::In(..))), "`in`"),
        };
        if !kept {
            let message = format!("`{}` is {} and has no {promise}", edge.id, wanted.word());
            problems.add(Kind::GuardType, place, message, format!("write a {promise}, or change guard_type"));
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Operand {
    Number,
    Text,
    Other,
}

fn compares(protocol: &Protocol, ast: &Ast, id: Id, wanted: Operand) -> bool {
    match ast.kind(id) {
        NodeKind::Compare(_, a, b) => [a, b].iter().any(|side| operand(protocol, ast, **side) == wanted),
        _ => false,
    }
}

fn operand(protocol: &Protocol, ast: &Ast, id: Id) -> Operand {
    match ast.kind(id) {
        NodeKind::Integer(_) | NodeKind::Number(_) | NodeKind::Negate(_) => Operand::Number,
        NodeKind::Text(_) => Operand::Text,
        NodeKind::Arithmetic(_, a, _) => operand(protocol, ast, *a),
        NodeKind::Choose(_, yes, _) => operand(protocol, ast, *yes),
        NodeKind::Call { name, .. } => match name.as_str() {
            "size" | "int" | "double" => Operand::Number,
            "string" => Operand::Text,
            _ => Operand::Other,
        },
        NodeKind::Select(root, name) => match ast.kind(*root) {
            NodeKind::Name(root) if root == "event" => Operand::Text,
            _ => match protocol.field_index.get(name).map(|slot| &protocol.fields[*slot].kind) {
                Some(FieldKind::Integer | FieldKind::Number) => Operand::Number,
                Some(FieldKind::Text | FieldKind::Enum(_)) => Operand::Text,
                Some(FieldKind::Boolean | FieldKind::List) | None => Operand::Other,
            },
        },
        _ => Operand::Other,
    }
}
