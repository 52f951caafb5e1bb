// Drawing of courses from above on a canvas.
import { gradeAt, lineOf, radiusAt, widthAt } from "./courses.js";
import { style } from "./dom.js";

/**
 * @typedef {import("./courses.js").Course} Course
 * @typedef {{scale: number, x: number, y: number}} View pixels of a unit, and the pixel of the origin
 * @typedef {ReturnType<typeof palette>} Palette
 */

/** The colours of the theme. */
export function palette() {
  const names = ["road", "border", "centre", "start", "wrong", "wrong-road", "accent", "ink", "muted", "paper", "grid"];
  return Object.fromEntries(names.map((name) => [name, style(`--${name}`)]));
}

// Colours from low to high, with an even lightness: viridis at seven places.
const viridis = [[68, 1, 84], [71, 61, 131], [48, 103, 142], [32, 144, 140], [53, 183, 121], [144, 215, 67], [253, 231, 37]];

/** A colour for a part of a range. @param {number} part 0 to 1 @returns {[number, number, number]} */
export function colourOf(part) {
  const at = Math.min(Math.max(Number.isFinite(part) ? part : 0, 0), 1) * (viridis.length - 1);
  const low = Math.min(Math.floor(at), viridis.length - 2);
  const mix = (/** @type {number} */ k) => Math.round(viridis[low][k] + (viridis[low + 1][k] - viridis[low][k]) * (at - low));
  return [mix(0), mix(1), mix(2)];
}

/** What the colours of a road show, at a point. @param {Course} course @param {string} colour @param {number} i */
export function shown(course, colour, i) {
  switch (colour) {
    case "height": return lineOf(course)[3 * i + 2];
    case "curvature": return 1 / radiusAt(course, i);
    case "width": return course.kind === "tracks" ? widthAt(course, i) : 2 * course.columns.half_size[i];
  }
  return 0;
}

/** What "auto" stands for: heights if there are hills. @param {Course[]} courses @param {string} colour */
export function resolved(courses, colour) {
  if (colour !== "auto") return colour;
  return courses.some(({ valid, box }) => valid && box.high - box.low > 1e-6) ? "height" : "plain";
}

/** The least and the largest number that colours show. @param {Course[]} courses @param {string} colour */
export function rangeOf(courses, colour) {
  let [low, high] = [Infinity, -Infinity];
  if (colour === "plain") return [0, 1];
  for (const course of courses) {
    if (!course.valid) continue;
    for (let i = 0; i < course.count; i++) {
      const v = shown(course, colour, i);
      if (!Number.isFinite(v)) continue;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

/** A view in which a box fits. @param {import("./courses.js").Box} box @param {number} width @param {number} height
 * @param {number} margin @param {number} [most] pixels of a unit at most @returns {View} */
export function fitView(box, width, height, margin, most = Infinity) {
  const [w, h] = [box.right - box.left || 1, box.top - box.bottom || 1];
  const scale = Math.min((width - 2 * margin) / w, (height - 2 * margin) / h, most);
  return { scale, x: width / 2 - ((box.left + box.right) / 2) * scale, y: height / 2 + ((box.bottom + box.top) / 2) * scale };
}

/** Adds a closed line to a path. @param {CanvasRenderingContext2D} ctx @param {Float32Array} points @param {View} view */
function trace(ctx, points, view) {
  for (let i = 0; i < points.length; i += 3) {
    const x = view.x + points[i] * view.scale;
    const y = view.y - points[i + 1] * view.scale;
    if (i === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.closePath();
}

/**
 * Draws a course.
 * @param {CanvasRenderingContext2D} ctx
 * @param {Course} course
 * @param {View} view
 * @param {Palette} colours
 * @param {{colour: string, range: number[], thin: number, large: boolean}} how thin: pixels of a thin line
 */
export function drawCourse(ctx, course, view, colours, how) {
  if (course.count < 2) return;
  if (course.kind === "gates") drawGates(ctx, course, view, colours, how);
  else drawTrack(ctx, course, view, colours, how);
  drawFaults(ctx, course, view, colours, how);
}

/** @param {CanvasRenderingContext2D} ctx @param {Course} course @param {View} view @param {Palette} colours
 * @param {{colour: string, range: number[], thin: number, large: boolean}} how */
function drawTrack(ctx, course, view, colours, how) {
  const { outer, inner, center } = course.columns;
  const crosses = course.numbers.crossings > 0;
  if (how.colour !== "plain" && course.valid) {
    drawColours(ctx, course, view, how);
  } else {
    ctx.fillStyle = course.valid ? colours.road : colours["wrong-road"];
    ctx.beginPath();
    if (crosses || course.reasons.includes("truncated")) {
      quads(ctx, course, view);
      ctx.fill();
    } else {
      trace(ctx, outer, view);
      trace(ctx, inner, view);
      ctx.fill("evenodd");
    }
  }
  if (!course.reasons.includes("truncated")) {
    ctx.strokeStyle = course.valid ? colours.border : colours.wrong;
    ctx.lineWidth = how.thin;
    ctx.lineJoin = "round";
    ctx.beginPath();
    trace(ctx, outer, view);
    trace(ctx, inner, view);
    ctx.stroke();
  }
  if (how.large) {
    ctx.strokeStyle = colours.centre;
    ctx.setLineDash([6 * how.thin, 6 * how.thin]);
    ctx.beginPath();
    trace(ctx, center, view);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  drawStart(ctx, course, view, colours, how.thin);
}

/** Adds the road as quads, one for each step. @param {CanvasRenderingContext2D} ctx @param {Course} course @param {View} view */
function quads(ctx, course, view) {
  const { outer, inner } = course.columns;
  const n = course.reasons.includes("truncated") ? course.count - 1 : course.count;
  for (let i = 0; i < n; i++) quad(ctx, outer, inner, i, (i + 1) % course.count, view);
}

/** @param {CanvasRenderingContext2D} ctx @param {Float32Array} outer @param {Float32Array} inner @param {number} i
 * @param {number} j @param {View} view */
function quad(ctx, outer, inner, i, j, view) {
  const { scale, x, y } = view;
  ctx.moveTo(x + outer[3 * i] * scale, y - outer[3 * i + 1] * scale);
  ctx.lineTo(x + outer[3 * j] * scale, y - outer[3 * j + 1] * scale);
  ctx.lineTo(x + inner[3 * j] * scale, y - inner[3 * j + 1] * scale);
  ctx.lineTo(x + inner[3 * i] * scale, y - inner[3 * i + 1] * scale);
  ctx.closePath();
}

/** @param {CanvasRenderingContext2D} ctx @param {Course} course @param {View} view
 * @param {{colour: string, range: number[], thin: number}} how */
function drawColours(ctx, course, view, how) {
  const { outer, inner } = course.columns;
  const [low, high] = how.range;
  ctx.lineWidth = how.thin;
  for (let i = 0; i < course.count; i++) {
    const [r, g, b] = colourOf((shown(course, how.colour, i) - low) / (high - low || 1));
    ctx.fillStyle = ctx.strokeStyle = `rgb(${r},${g},${b})`;
    ctx.beginPath();
    quad(ctx, outer, inner, i, (i + 1) % course.count, view);
    ctx.fill();
    ctx.stroke(); // over the gap between two quads
  }
}

/** Draws the start line and an arrow in the direction of travel. @param {CanvasRenderingContext2D} ctx
 * @param {Course} course @param {View} view @param {Palette} colours @param {number} thin */
function drawStart(ctx, course, view, colours, thin) {
  const { outer, inner, center } = course.columns;
  const { scale, x, y } = view;
  ctx.strokeStyle = ctx.fillStyle = colours.start;
  ctx.lineWidth = 2 * thin;
  ctx.beginPath();
  ctx.moveTo(x + outer[0] * scale, y - outer[1] * scale);
  ctx.lineTo(x + inner[0] * scale, y - inner[1] * scale);
  ctx.stroke();
  const [dx, dy] = [center[3] - center[0], center[4] - center[1]];
  const length = Math.hypot(dx, dy) || 1;
  const size = Math.max(5 * thin, Math.min(0.35 * scale * widthAt(course, 0), 12 * thin));
  const [ux, uy] = [dx / length, -dy / length];
  const [px, py] = [x + center[0] * scale + ux * 2 * thin, y - center[1] * scale + uy * 2 * thin];
  ctx.beginPath();
  ctx.moveTo(px + ux * size, py + uy * size);
  ctx.lineTo(px - uy * size * 0.5, py + ux * size * 0.5);
  ctx.lineTo(px + uy * size * 0.5, py - ux * size * 0.5);
  ctx.fill();
}

/** @param {CanvasRenderingContext2D} ctx @param {Course} course @param {View} view @param {Palette} colours
 * @param {{colour: string, range: number[], thin: number, large: boolean}} how */
function drawGates(ctx, course, view, colours, how) {
  const { position, left, right } = course.columns;
  const { scale, x, y } = view;
  ctx.strokeStyle = course.valid ? colours.border : colours.wrong;
  ctx.lineWidth = how.thin;
  ctx.beginPath();
  trace(ctx, position, view);
  ctx.stroke();
  const [low, high] = how.range;
  for (let i = 0; i < course.count; i++) {
    let colour = i === 0 ? colours.start : colours.accent;
    if (how.colour !== "plain") {
      const [r, g, b] = colourOf((shown(course, how.colour, i) - low) / (high - low || 1));
      colour = `rgb(${r},${g},${b})`;
    }
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 3 * how.thin;
    ctx.beginPath();
    ctx.moveTo(x + left[3 * i] * scale, y - left[3 * i + 1] * scale);
    ctx.lineTo(x + right[3 * i] * scale, y - right[3 * i + 1] * scale);
    ctx.stroke();
    if (how.large) {
      ctx.font = `${12 * how.thin}px system-ui, sans-serif`;
      ctx.fillStyle = colours.ink;
      ctx.fillText(String(i), x + left[3 * i] * scale + 5 * how.thin, y - left[3 * i + 1] * scale - 5 * how.thin);
    }
  }
}

/** Marks where a course fails. @param {CanvasRenderingContext2D} ctx @param {Course} course @param {View} view
 * @param {Palette} colours @param {{thin: number}} how */
function drawFaults(ctx, course, view, colours, how) {
  const line = lineOf(course);
  ctx.strokeStyle = colours.wrong;
  ctx.lineWidth = 2 * how.thin;
  for (const fault of course.faults) {
    const places = [fault.at, fault.with].filter((at) => at >= 0 && at < course.count);
    const points = places.map((at) => [view.x + line[3 * at] * view.scale, view.y - line[3 * at + 1] * view.scale]);
    for (const [x, y] of points) {
      ctx.beginPath();
      ctx.arc(x, y, 7 * how.thin, 0, 2 * Math.PI);
      ctx.stroke();
    }
    if (points.length === 2) {
      ctx.beginPath();
      ctx.moveTo(points[0][0], points[0][1]);
      ctx.lineTo(points[1][0], points[1][1]);
      ctx.stroke();
    }
  }
}

/** Facts about a point, by name. @param {Course} course @param {number} i @returns {[string, number, string][]} */
export function factsAt(course, i) {
  const line = lineOf(course);
  const unit = course.kind;
  /** @type {[string, number, string][]} */
  const facts = [[unit === "tracks" ? "point" : "gate", i, ""], ["x", line[3 * i], ""], ["y", line[3 * i + 1], ""]];
  if (unit === "tracks") {
    const { width_left: left, width_right: right, bank, arclen } = course.columns;
    facts.push(["arc length", arclen[i], ""], ["radius", radiusAt(course, i), ""], ["width", widthAt(course, i), ""]);
    if (left && right && Math.abs(left[i] - right[i]) > 1e-4 * left[i]) {
      facts.push(["to the left", left[i], ""], ["to the right", right[i], ""]);
    }
    facts.push(["height", line[3 * i + 2], ""], ["grade", 100 * gradeAt(course, i), " %"]);
    if (bank) facts.push(["bank", (180 / Math.PI) * bank[i], "°"]);
    return facts;
  }
  const j = (i + 1) % course.count;
  facts.push(["width", 2 * course.columns.half_size[i], ""], ["height", line[3 * i + 2], ""],
    ["way to the next", Math.hypot(...[0, 1, 2].map((k) => line[3 * j + k] - line[3 * i + k])), ""],
    ["grade", 100 * gradeAt(course, i), " %"]);
  return facts;
}
