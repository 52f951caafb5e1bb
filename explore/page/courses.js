// Courses as the page holds them: tracks and gate courses, decoded from frames.

/**
 * @typedef {{env: number, reason: string, at: number, with: number, value: number, limit: number}} Fault
 *
 * @typedef {object} Course
 * @property {"tracks" | "gates"} kind
 * @property {number} env number in its batch
 * @property {string} name of a circuit
 * @property {number} count points or gates
 * @property {boolean} valid
 * @property {string[]} reasons
 * @property {Fault[]} faults
 * @property {Record<string, number>} numbers one for each column of envs: seed, length, component, ...
 * @property {Record<string, Float32Array>} columns one for each column of points or gates: center, outer, ...
 * @property {Box} box
 *
 * @typedef {{left: number, right: number, bottom: number, top: number, low: number, high: number}} Box
 */

/** Decodes a frame of tracks or gates. @param {import("./world.js").Frame} frame @returns {Course[]} */
export function decode({ head, body }) {
  /** @type {Course[]} */
  const courses = [];
  for (let e = 0; e < head.envs; e++) {
    courses.push({
      kind: head.kind, env: head.first + e, name: head.names?.[e] ?? "", count: 0, valid: false,
      reasons: head.reasons[e] ?? [], faults: [], numbers: {}, columns: {},
      box: { left: 0, right: 0, bottom: 0, top: 0, low: 0, high: 0 },
    });
  }
  // Columns of envs come first, and count is one of them; those of points need it.
  let offset = 0;
  for (const column of head.columns) {
    if (column.per === "env") {
      const values = column.whole ? new Int32Array(body, offset, head.envs) : new Float32Array(body, offset, head.envs);
      courses.forEach((course, e) => { course.numbers[column.name] = values[e]; });
      offset += 4 * head.envs;
      continue;
    }
    for (const course of courses) {
      course.count = course.numbers.count;
      const length = course.count * column.components;
      course.columns[column.name] = new Float32Array(body, offset, length);
      offset += 4 * length;
    }
  }
  for (const fault of head.faults) courses[fault.env].faults.push(fault);
  for (const course of courses) {
    course.valid = course.numbers.valid !== 0;
    course.box = boxOf(course);
  }
  return courses;
}

/** The box around a course. @param {Course} course @returns {Box} */
function boxOf(course) {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity, low: Infinity, high: -Infinity };
  const names = course.kind === "tracks" ? ["outer", "inner"] : ["position", "left", "right"];
  for (const name of names) {
    const points = course.columns[name] ?? [];
    for (let i = 0; i < points.length; i += 3) {
      box.left = Math.min(box.left, points[i]);
      box.right = Math.max(box.right, points[i]);
      box.bottom = Math.min(box.bottom, points[i + 1]);
      box.top = Math.max(box.top, points[i + 1]);
      box.low = Math.min(box.low, points[i + 2]);
      box.high = Math.max(box.high, points[i + 2]);
    }
  }
  return Number.isFinite(box.left + box.right + box.bottom + box.top)
    ? box : { left: -1, right: 1, bottom: -1, top: 1, low: 0, high: 0 };
}

/** The line of a course: centres of the road, or of gates. @param {Course} course */
export function lineOf(course) {
  return course.kind === "tracks" ? course.columns.center : course.columns.position;
}

/** Radius of the circle through point i and its neighbours, in plan view. @param {Course} course @param {number} i */
export function radiusAt(course, i) {
  const line = lineOf(course);
  const n = course.count;
  if (n < 3) return Infinity;
  const [a, b, c] = [(i + n - 1) % n, i, (i + 1) % n];
  const [abx, aby] = [line[3 * b] - line[3 * a], line[3 * b + 1] - line[3 * a + 1]];
  const [acx, acy] = [line[3 * c] - line[3 * a], line[3 * c + 1] - line[3 * a + 1]];
  const area = Math.abs(abx * acy - aby * acx);
  const product = Math.hypot(abx, aby) * Math.hypot(acx, acy) * Math.hypot(acx - abx, acy - aby);
  return area > 0 ? product / (2 * area) : Infinity;
}

/** Width of the road at a point of a track. @param {Course} course @param {number} i */
export function widthAt(course, i) {
  const { width_right: right, width_left: left, outer, inner } = course.columns;
  if (right && left) return right[i] + left[i];
  return Math.hypot(outer[3 * i] - inner[3 * i], outer[3 * i + 1] - inner[3 * i + 1]);
}

/** Change of height by distance from point i to the next one. @param {Course} course @param {number} i */
export function gradeAt(course, i) {
  const line = lineOf(course);
  const j = (i + 1) % course.count;
  const way = Math.hypot(line[3 * j] - line[3 * i], line[3 * j + 1] - line[3 * i + 1]);
  return way > 0 ? (line[3 * j + 2] - line[3 * i + 2]) / way : 0;
}

/** A number with four digits. @param {number} value */
export function digits(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(size >= 1000 ? 5 : 4)));
}
