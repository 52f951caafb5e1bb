// Histograms of a batch. Dragging over bars chooses the tracks whose numbers lie there.
import { digits } from "./courses.js";
import { make } from "./dom.js";

/**
 * @typedef {{name: string, doc: string, whole?: boolean, gates?: boolean}} Measure
 * @typedef {{seed: number, valid: boolean, component: number, reasons: string[], values: Float32Array}} Row
 */

/** Decodes a frame of measures. @param {import("./world.js").Frame} frame @returns {Row[]} */
export function decodeMeasures({ head, body }) {
  const rows = [];
  const width = 3 + head.columns.length;
  for (let e = 0; e < head.envs; e++) {
    const whole = new Int32Array(body, 4 * width * e, 3);
    rows.push({ seed: whole[0], valid: whole[1] !== 0, component: whole[2], reasons: head.reasons[e] ?? [],
      values: new Float32Array(body, 4 * (width * e + 3), head.columns.length) });
  }
  return rows;
}

const bins = 32;
const [wide, high] = [320, 110];

/** @param {string} name @param {Record<string, string | number>} attributes */
function svg(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** A histogram of one measure. */
class Histogram {
  /** @param {Measure} measure @param {number} index @param {() => void} changed */
  constructor(measure, index, changed) {
    this.measure = measure;
    this.index = index;
    this.changed = changed;
    /** @type {[number, number] | null} first and last bar that are chosen */
    this.brush = null;
    this.low = 0;
    this.step = 1;
    this.count = bins;
    /** @type {number[]} */
    this.all = [];
    this.picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "application", tabindex: 0 });
    this.text = make("p", { class: "axis" });
    this.element = make("figure", { class: "histogram" }, make("figcaption", { title: measure.doc }, measure.name,
      make("span", {}, ` ${measure.doc}`)), this.picture, this.text);
    this.#listen();
  }

  /** Counts the values. @param {Row[]} rows */
  measureRows(rows) {
    const values = rows.filter((row) => row.valid).map((row) => row.values[this.index]).filter(Number.isFinite);
    let [low, top] = [Infinity, -Infinity];
    for (const v of values) [low, top] = [Math.min(low, v), Math.max(top, v)];
    if (values.length === 0) [low, top] = [0, 1];
    if (this.measure.whole) {
      this.step = Math.max(1, Math.ceil((top - low + 1) / bins));
      this.low = low - 0.5;
      this.count = Math.ceil((top - low + 1) / this.step);
    } else {
      this.step = (top - low) / bins || 1;
      this.low = low;
      this.count = bins;
    }
    this.all = this.#tally(rows.filter((row) => row.valid));
    if (this.brush && this.brush[1] >= this.count) this.brush = null;
    const mean = values.reduce((sum, v) => sum + v, 0) / (values.length || 1);
    this.range = `${digits(low)} to ${digits(top)}, mean ${digits(mean)}`;
  }

  /** The bar of a value. @param {number} v */
  bar(v) {
    return Math.min(Math.floor((v - this.low) / this.step), this.count - 1);
  }

  /** @param {Row[]} rows */
  #tally(rows) {
    const counts = new Array(this.count).fill(0);
    for (const row of rows) {
      const v = row.values[this.index];
      if (Number.isFinite(v)) counts[this.bar(v)]++;
    }
    return counts;
  }

  /** Whether a row lies in the chosen bars. @param {Row} row */
  takes(row) {
    if (!this.brush) return true;
    if (!row.valid) return false;
    const at = this.bar(row.values[this.index]);
    return at >= this.brush[0] && at <= this.brush[1];
  }

  /** Draws all values, and those of the chosen rows in front. @param {Row[]} chosen */
  draw(chosen) {
    const some = this.#tally(chosen.filter((row) => row.valid));
    const most = Math.max(1, ...this.all);
    const width = wide / this.count;
    this.picture.replaceChildren();
    if (this.brush) {
      this.picture.append(svg("rect", { class: "brush", x: this.brush[0] * width, y: 0, height: high,
        width: (this.brush[1] - this.brush[0] + 1) * width }));
    }
    this.all.forEach((n, i) => {
      for (const [count, name] of /** @type {[number, string][]} */ ([[n, "all"], [some[i], "some"]])) {
        const size = (count / most) * (high - 4);
        this.picture.append(svg("rect", { class: name, x: i * width + 0.5, width: Math.max(width - 1, 0.5), y: high - size,
          height: size }));
      }
    });
    const chosenText = this.brush
      ? `chosen: ${digits(this.low + this.brush[0] * this.step)} to ${digits(this.low + (this.brush[1] + 1) * this.step)}` : "";
    this.text.textContent = [this.range, chosenText].filter((t) => t).join("; ");
    this.picture.setAttribute("aria-label", `${this.measure.name}: ${this.text.textContent}. Arrow keys choose a bar, with ` +
      "shift several; escape chooses all");
  }

  #listen() {
    const { picture } = this;
    let from = -1;
    const at = (/** @type {PointerEvent} */ event) => {
      const box = picture.getBoundingClientRect();
      const part = (event.clientX - box.left) / box.width;
      return Math.min(Math.max(Math.floor(part * this.count), 0), this.count - 1);
    };
    picture.addEventListener("pointerdown", (e) => {
      const event = /** @type {PointerEvent} */ (e);
      picture.setPointerCapture(event.pointerId);
      from = at(event);
      this.brush = [from, from];
      this.changed();
    });
    picture.addEventListener("pointermove", (e) => {
      if (from < 0) return;
      const to = at(/** @type {PointerEvent} */ (e));
      this.brush = [Math.min(from, to), Math.max(from, to)];
      this.changed();
    });
    for (const name of ["pointerup", "pointercancel"]) picture.addEventListener(name, () => { from = -1; });
    picture.addEventListener("dblclick", () => { this.brush = null; this.changed(); });
    picture.addEventListener("keydown", (e) => {
      const event = /** @type {KeyboardEvent} */ (e);
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape" && this.brush) this.brush = null;
      else if (step === undefined) return;
      else if (!this.brush) this.brush = step > 0 ? [0, 0] : [this.count - 1, this.count - 1];
      else if (event.shiftKey) this.brush = [this.brush[0], Math.min(Math.max(this.brush[1] + step, this.brush[0]), this.count - 1)];
      else this.brush = /** @type {[number, number]} */ (this.brush.map((b) => Math.min(Math.max(b + step, 0), this.count - 1)));
      event.preventDefault();
      event.stopPropagation();
      this.changed();
    });
  }
}

export class Statistics {
  /** @param {Measure[]} measures @param {(rows: Row[], all: number) => void} choose is called with the chosen rows */
  constructor(measures, choose) {
    this.choose = choose;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {string | null} a reason that is chosen */
    this.reason = null;
    this.ofMeasures = measures;
    this.summary = make("p", { class: "summary" });
    this.reasons = make("div", { class: "reason-list" });
    this.grid = make("div", { class: "histograms" });
    this.element = make("div", { class: "statistics" }, this.summary, this.reasons, this.grid);
    /** @type {Histogram[]} */
    this.histograms = [];
    this.timer = 0;
  }

  /** Begins anew. @param {boolean} gates */
  begin(gates) {
    this.rows = [];
    const names = this.ofMeasures.filter((m) => !!m.gates === gates);
    if (this.histograms.map((h) => h.measure.name).join() !== names.map((m) => m.name).join()) {
      this.reason = null;
      this.histograms = names.map((measure, i) => new Histogram(measure, i, () => this.brushed()));
      this.grid.replaceChildren(...this.histograms.map((h) => h.element));
    }
  }

  /** @param {Row[]} rows */
  add(rows) {
    this.rows.push(...rows);
  }

  /** The rows that all brushes take. */
  chosen() {
    if (this.reason !== null) return this.rows.filter((row) => row.reasons.includes(/** @type {string} */ (this.reason)));
    return this.rows.filter((row) => this.histograms.every((h) => h.takes(row)));
  }

  isBrushed() {
    return this.reason !== null || this.histograms.some((h) => h.brush);
  }

  /** Counts and draws everything. */
  update() {
    for (const histogram of this.histograms) histogram.measureRows(this.rows);
    this.draw();
  }

  /** A brush has moved: the tracks follow when it rests. */
  brushed() {
    this.reason = null;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.choose(this.chosen(), this.rows.length), 120);
  }

  draw() {
    const rows = this.chosen();
    for (const histogram of this.histograms) histogram.draw(rows);
    const valid = this.rows.filter((row) => row.valid).length;
    const percent = this.rows.length ? ((100 * valid) / this.rows.length).toFixed(1) : "0";
    this.summary.replaceChildren(make("b", {}, `${valid} of ${this.rows.length} valid (${percent} %)`),
      this.isBrushed() ? ` · ${rows.length} chosen ` : " · drag over bars to see those tracks ");
    if (this.isBrushed()) {
      this.summary.append(make("button", { type: "button", onclick: () => this.clear() }, "Choose all"));
    }
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const row of this.rows) for (const reason of row.reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    this.reasons.replaceChildren(...[...counts].map(([reason, n]) => make("button", { type: "button", class: "reason",
      "aria-pressed": String(this.reason === reason), onclick: () => this.#chooseReason(reason) }, `${reason} ${n}`)));
  }

  /** @param {string} reason */
  #chooseReason(reason) {
    for (const histogram of this.histograms) histogram.brush = null;
    this.reason = this.reason === reason ? null : reason;
    this.draw();
    this.choose(this.chosen(), this.rows.length);
  }

  clear() {
    for (const histogram of this.histograms) histogram.brush = null;
    this.reason = null;
    this.draw();
    this.choose(this.chosen(), this.rows.length);
  }
}
