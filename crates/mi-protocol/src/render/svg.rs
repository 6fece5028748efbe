//! SVG, laid out so that it stays readable with any number of edges: nodes stand below each other in the order of the
//! file, in as many columns as a page wants. Each edge has a row of its own in its node with id, target and guard.
//!
//! Holds: every edge is a row that leads to its target when it is clicked. Inside of a column a line runs to the target
//! as well, through a lane that it shares with no other line at that height: ways down on the right, ways back on the
//! left. A way to another column ends in an arrow, and the head of its target names it.

use std::fmt::Write;

use super::{
    card::{Card, Row, cards, escaped},
    colour,
};
use crate::{
    protocol::{OnFail, Protocol},
    words::EdgeClass,
};

const ROW: usize = 17;
const HEAD: usize = 26;
const GAP: usize = 16;
const LANE: usize = 9;
const TEXT: usize = 700;
const MARGIN: usize = 24;
const LEGEND: usize = 62;
/// Characters of a guard that fit into a row.
const LONGEST: usize = 84;
/// A column is about this much higher than the picture is wide before another is begun.
const TALLEST: usize = 1500;

/// One line from a node to another of the same column.
struct Way {
    id: String,
    colour: &'static str,
    from_y: usize,
    to_y: usize,
    lane: usize,
    down: bool,
    /// Taken when the guard fails.
    reroute: bool,
}

/// Where a node stands.
#[derive(Clone, Copy)]
struct Spot {
    column: usize,
    top: usize,
}

pub fn svg(protocol: &Protocol) -> String {
    let cards = cards(protocol);
    let spots = spots(&cards);
    let columns = spots.last().map_or(1, |spot| spot.column + 1);
    let mut left = MARGIN;
    let mut body = String::new();
    let mut first = MARGIN;
    for column in 0..columns {
        let mut ways = ways(protocol, &cards, &spots, column);
        let (back, on) = (lanes(&mut ways, false), lanes(&mut ways, true));
        let x = left + (back + 2) * LANE;
        if column == 0 {
            first = x;
        }
        ways.iter().for_each(|way| draw(way, x, &mut body));
        for (at, card) in cards.iter().enumerate().filter(|(at, _)| spots[*at].column == column) {
            node(card, at, &spots, &arrivals(&cards, &spots, at), x, &mut body);
        }
        left = x + TEXT + (on + 2) * LANE + MARGIN;
    }
    let bottom = cards.iter().zip(&spots).map(|(card, spot)| spot.top + height(card)).max();
    let (width, height) = (left, bottom.unwrap_or(LEGEND) + MARGIN);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escaped(&protocol.name)
    );
    legend(protocol, first, columns, &mut text);
    text.push_str(&body);
    text.push_str("</svg>\n");
    text
}

fn height(card: &Card) -> usize {
    HEAD + card.rows.len() * ROW
}

/// The nodes in columns of about the same height, in the order of the file.
fn spots(cards: &[Card]) -> Vec<Spot> {
    let total: usize = cards.iter().map(|card| height(card) + GAP).sum();
    let columns = total.div_ceil(TALLEST).clamp(1, 6);
    let share = total.div_ceil(columns);
    let (mut column, mut top, mut before) = (0, LEGEND, 0);
    let mut spots = Vec::with_capacity(cards.len());
    for card in cards {
        let tall = height(card) + GAP;
        // A node goes where its middle belongs.
        let wanted = ((before + tall / 2) / share.max(1)).min(columns - 1);
        if wanted > column {
            (column, top) = (column + 1, LEGEND);
        }
        spots.push(Spot { column, top });
        top += tall;
        before += tall;
    }
    spots
}

/// The ids of the edges that come to a node from another column.
fn arrivals(cards: &[Card], spots: &[Spot], at: usize) -> Vec<String> {
    let others = cards.iter().enumerate().filter(|(from, _)| spots[*from].column != spots[at].column);
    others.flat_map(|(_, card)| &card.rows).filter(|row| row.to == at).map(|row| row.id.clone()).collect()
}

fn ways(protocol: &Protocol, cards: &[Card], spots: &[Spot], column: usize) -> Vec<Way> {
    let mut arrived = vec![0; cards.len()];
    let mut ways = Vec::new();
    for (from, card) in cards.iter().enumerate().filter(|(from, _)| spots[*from].column == column) {
        for (number, row) in card.rows.iter().enumerate() {
            let from_y = spots[from].top + HEAD + number * ROW + ROW / 2;
            let reroute = match protocol.edges[row.edge].on_guard_fail {
                OnFail::Reroute(target) => Some((target, true)),
                OnFail::Block | OnFail::Rerun | OnFail::Escalate => None,
            };
            let targets = std::iter::once((row.to, false)).chain(reroute);
            for (target, reroute) in targets.filter(|(target, _)| spots[*target].column == column) {
                // Arrivals are spread over the node's head, so that arrows stay apart.
                let to_y = spots[target].top + 5 + (arrived[target] * 3) % (HEAD - 8);
                arrived[target] += 1;
                ways.push(Way {
                    id: row.id.clone(),
                    colour: if reroute { colour(EdgeClass::Exception) } else { row.colour },
                    from_y: from_y + if reroute { 4 } else { 0 },
                    to_y,
                    lane: 0,
                    down: target > from,
                    reroute,
                });
            }
        }
    }
    ways
}

/// Gives each way of one side a lane that is free along its height, short ways near the text. Returns how many there are.
fn lanes(ways: &mut [Way], down: bool) -> usize {
    let mut order: Vec<usize> = (0..ways.len()).filter(|way| ways[*way].down == down).collect();
    let span = |way: &Way| (way.from_y.min(way.to_y), way.from_y.max(way.to_y));
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

fn draw(way: &Way, left: usize, text: &mut String) {
    let right = left + TEXT;
    let (start, lane, sign) = if way.down {
        (right, right + (way.lane + 2) * LANE, "")
    } else {
        (left, left.saturating_sub((way.lane + 2) * LANE), "-")
    };
    let head = if way.down { start + 7 } else { start.saturating_sub(7) };
    let dash = if way.reroute { " stroke-dasharray=\"4 3\"" } else { "" };
    let (from_y, to_y, colour) = (way.from_y, way.to_y, way.colour);
    let told = format!("{}{}", way.id, if way.reroute { " when its guard fails" } else { "" });
    let _ = writeln!(
        text,
        "<g stroke=\"{colour}\" fill=\"none\"><title>{}</title>\
         <path d=\"M{start} {from_y}H{lane}V{to_y}H{head}\" stroke-width=\"1.3\"{dash}/>\
         <path d=\"M{start} {to_y}l{sign}7 -3v6z\" fill=\"{colour}\" stroke=\"none\"/></g>",
        escaped(&told)
    );
}

fn node(card: &Card, at: usize, spots: &[Spot], arrivals: &[String], left: usize, text: &mut String) {
    let (top, height) = (spots[at].top, height(card));
    let (round, bold) = (if card.is_end { 13 } else { 5 }, if card.is_start { 2.5 } else { 1.0 });
    let _ = writeln!(
        text,
        "<rect id=\"n{at}\" x=\"{left}\" y=\"{top}\" width=\"{TEXT}\" height=\"{height}\" rx=\"{round}\" fill=\"{}\" \
         stroke=\"#444444\" stroke-width=\"{bold}\"/>",
        card.fill
    );
    let head = mi_model::shorten(&card.head, 64);
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" font-weight=\"bold\" font-size=\"13\">{}</text>",
        left + 12,
        top + 18,
        escaped(&head)
    );
    if !arrivals.is_empty() {
        let all = arrivals.join(" ");
        // What the head leaves of the line, at about six units a character.
        let room = 112_usize.saturating_sub(head.chars().count() * 9 / 7).max(12);
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"10\" fill=\"#5f6368\"><title>{2}</title>← {3}</text>",
            left + TEXT - 8,
            top + 17,
            escaped(&all),
            escaped(&mi_model::shorten(&all, room))
        );
    }
    for (number, row) in card.rows.iter().enumerate() {
        let is_far = spots[row.to].column != spots[at].column;
        write_row(row, is_far, left, top + HEAD + number * ROW + ROW / 2, text);
    }
}

fn write_row(row: &Row, is_far: bool, left: usize, middle: usize, text: &mut String) {
    let y = middle + 4;
    let _ = writeln!(
        text,
        "<a href=\"#n{}\"><text x=\"{}\" y=\"{y}\" fill=\"{}\"><tspan font-weight=\"bold\">{}</tspan> → {}</text></a>\
         <text x=\"{}\" y=\"{y}\" fill=\"#333333\" font-size=\"11\"><title>{}</title>{}</text>",
        row.to,
        left + 12,
        row.colour,
        escaped(&mi_model::shorten(&row.id, 14)),
        escaped(&mi_model::shorten(&row.target, 20)),
        left + 190,
        escaped(&row.guard),
        escaped(&mi_model::shorten(&row.guard, LONGEST))
    );
    if is_far {
        let (from, tip) = (left + TEXT, left + TEXT + 13);
        let _ = writeln!(
            text,
            "<path d=\"M{from} {middle}h7\" stroke=\"{0}\" stroke-width=\"1.3\"/><path d=\"M{tip} {middle}l-7 -3v6z\" fill=\"{0}\"/>",
            row.colour
        );
    }
}

fn legend(protocol: &Protocol, left: usize, columns: usize, text: &mut String) {
    let _ = writeln!(
        text,
        "<text x=\"{left}\" y=\"22\" font-size=\"16\" font-weight=\"bold\">{}</text>",
        escaped(&mi_model::shorten(&protocol.name, 80))
    );
    for (at, (word, class)) in EdgeClass::ALL.iter().enumerate() {
        let x = left + at * 87;
        let _ = writeln!(
            text,
            "<path d=\"M{x} 40h16\" stroke=\"{0}\" stroke-width=\"3\"/><text x=\"{1}\" y=\"44\" fill=\"{0}\">{word}</text>",
            colour(*class),
            x + 21
        );
    }
    if columns > 1 {
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"44\" fill=\"#5f6368\">a short arrow: the target stands in another column, \
             and its head names the edge</text>",
            left + EdgeClass::ALL.len() * 87 + 30
        );
    }
}
