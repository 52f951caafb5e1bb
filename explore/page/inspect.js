// The inspector: one course, large, with zoom, facts about the point under the pointer, and a view in space.
import { digits, lineOf } from "./courses.js";
import { drawCourse, factsAt, fitView, palette, rangeOf, resolved } from "./draw.js";
import { fit, make } from "./dom.js";
import { Space } from "./space.js";

/** @typedef {import("./courses.js").Course} Course */

/** A table of facts. @param {[string, string][]} facts */
function list(facts) {
  return make("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

export class Inspector {
  /**
   * @param {HTMLElement} element
   * @param {{reasons: Record<string, string>}} tables
   * @param {{close: () => void, save: (course: Course) => void}} does
   */
  constructor(element, tables, does) {
    this.element = element;
    this.tables = tables;
    this.colour = "plain";
    /** @type {Course | null} */
    this.course = null;
    this.point = -1;
    /** @type {import("./draw.js").View | null} */
    this.view = null;
    this.isFlat = true;
    this.title = make("h2", {});
    this.canvas = make("canvas", { tabindex: "0", role: "img", "aria-describedby": "inspector-keys" });
    this.facts = make("div", { class: "about" });
    this.readout = make("p", { class: "readout", role: "status", "aria-live": "polite" });
    this.flat = make("button", { type: "button", "aria-pressed": "true", onclick: () => this.turn(true) }, "Above");
    this.space = make("button", { type: "button", "aria-pressed": "false", onclick: () => this.turn(false) }, "3-D");
    this.rise = make("input", { type: "range", min: 1, max: 20, step: 0.5, value: 1, "aria-label": "Heights, times",
      oninput: () => this.draw() });
    this.riseLabel = make("label", { class: "rise", hidden: true }, "heights × ", this.rise);
    const tools = make("div", { class: "tools" }, this.flat, this.space, this.riseLabel,
      make("button", { type: "button", class: "icon", "aria-label": "Zoom in", title: "Zoom in (+)", onclick: () => this.zoom(1.5) }, "+"),
      make("button", { type: "button", class: "icon", "aria-label": "Zoom out", title: "Zoom out (-)", onclick: () => this.zoom(1 / 1.5) }, "−"),
      make("button", { type: "button", title: "Show the whole course (0)", onclick: () => this.fitted() }, "Fit"),
      make("button", { type: "button", title: "Save this one as a file", onclick: () => this.course && does.save(this.course) },
        "Export"));
    const keys = make("p", { id: "inspector-keys", class: "hint" },
      "Drag or arrow keys move, the wheel or + and − zoom, , and . step along the line, 0 shows all.");
    element.append(make("div", { class: "head" }, this.title, make("button", { type: "button", class: "icon",
      "aria-label": "Close", title: "Close (Escape)", onclick: does.close }, "×")), tools,
    make("div", { class: "stage" }, this.canvas), this.readout, this.facts, keys);
    this.stage = /** @type {HTMLElement} */ (this.canvas.parentElement);
    /** @type {Space | null} */
    this.scene = null;
    new ResizeObserver(() => { this.view = null; this.draw(); }).observe(this.stage);
    this.#listen();
  }

  /** @param {Course | null} course @param {boolean} same keep the view: it is the same course with other settings */
  show(course, same) {
    this.course = course;
    this.element.hidden = !course;
    if (!course) return;
    if (!same) {
      this.view = null;
      this.point = -1;
      this.readout.textContent = "";
      this.scene?.reset();
    }
    this.point = Math.min(this.point, course.count - 1);
    this.title.textContent = course.name || `${course.kind === "tracks" ? "Track" : "Course"} ${course.env}`;
    this.canvas.setAttribute("aria-label", `${this.title.textContent}, drawn`);
    this.facts.replaceChildren(list(this.#about(course)), ...this.#faults(course));
    this.draw();
    if (this.point >= 0) this.read();
  }

  /** @param {Course} course @returns {[string, string][]} */
  #about(course) {
    const n = course.numbers;
    /** @type {[string, string][]} */
    const facts = course.name ? [] : [["seed", String(n.seed)], ["epoch", String(n.epoch)]];
    if (course.kind === "tracks") {
      facts.push(["length", digits(n.length)], ["points", String(course.count)],
        ["direction", { "1": "counter-clockwise", "-1": "clockwise" }[String(n.winding)] ?? "neither"]);
      if (n.crossings > 0) facts.push(["crosses itself", `${n.crossings} times`]);
    } else {
      facts.push(["gates", String(course.count)]);
    }
    if (course.box.high - course.box.low > 0) facts.push(["heights", `${digits(course.box.low)} to ${digits(course.box.high)}`]);
    if (n.candidate > 0) facts.push(["candidate kept", String(n.candidate)]);
    return facts;
  }

  /** Says why a course is not valid, and where. @param {Course} course */
  #faults(course) {
    if (course.valid) return [];
    const items = course.reasons.map((reason) => {
      const fault = course.faults.find((f) => f.reason === reason);
      const item = make("li", {}, make("b", {}, reason), `: ${this.tables.reasons[reason] ?? ""}`);
      if (fault && (fault.value || fault.limit)) {
        item.append(` (${digits(fault.value)}${fault.limit ? `, limit ${digits(fault.limit)}` : ""})`);
      }
      if (fault && fault.at >= 0) {
        item.append(" ", make("button", { type: "button", onclick: () => this.goTo(fault.at) }, `Show point ${fault.at}`));
      }
      return item;
    });
    return [make("p", { class: "wrong" }, "Not valid"), make("ul", { class: "reasons" }, ...items)];
  }

  /** Zooms to a point. @param {number} i */
  goTo(i) {
    if (!this.course) return;
    this.turn(true);
    this.point = i;
    const line = lineOf(this.course);
    const base = this.#base();
    const scale = base.scale * 4;
    this.view = { scale, x: this.canvas.width / 2 - line[3 * i] * scale, y: this.canvas.height / 2 + line[3 * i + 1] * scale };
    this.draw();
    this.read();
  }

  /** Shows the course from above or in space. @param {boolean} isFlat */
  turn(isFlat) {
    if (this.isFlat === isFlat) return;
    if (!isFlat && !this.scene) {
      const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": "The course in space: arrow keys turn it" });
      this.stage.append(canvas);
      try {
        this.scene = new Space(canvas);
      } catch {
        canvas.remove();
        this.readout.textContent = "This browser has no WebGL: there is no view in space.";
        return;
      }
    }
    this.isFlat = isFlat;
    this.flat.setAttribute("aria-pressed", String(isFlat));
    this.space.setAttribute("aria-pressed", String(!isFlat));
    this.riseLabel.hidden = isFlat;
    this.canvas.hidden = !isFlat;
    if (this.scene) this.scene.canvas.hidden = isFlat;
    this.draw();
  }

  #base() {
    const density = fit(this.canvas);
    return fitView(/** @type {Course} */ (this.course).box, this.canvas.width, this.canvas.height, 24 * density);
  }

  fitted() {
    this.view = null;
    this.scene?.reset();
    this.draw();
  }

  draw() {
    if (!this.course || this.element.hidden) return;
    if (!this.isFlat) {
      this.scene?.show(this.course, Number(this.rise.value), palette());
      return;
    }
    const density = fit(this.canvas);
    const ctx = this.canvas.getContext("2d");
    if (!ctx) return;
    this.view ??= this.#base();
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const colours = palette();
    const colour = resolved([this.course], this.colour);
    drawCourse(ctx, this.course, this.view, colours,
      { colour, range: rangeOf([this.course], colour), thin: density, large: true });
    this.#scaleBar(ctx, density, colours);
    if (this.point < 0) return;
    const line = lineOf(this.course);
    ctx.fillStyle = colours.accent;
    ctx.beginPath();
    ctx.arc(this.view.x + line[3 * this.point] * this.view.scale, this.view.y - line[3 * this.point + 1] * this.view.scale,
      5 * density, 0, 2 * Math.PI);
    ctx.fill();
  }

  /** @param {CanvasRenderingContext2D} ctx @param {number} density @param {Record<string, string>} colours */
  #scaleBar(ctx, density, colours) {
    const { scale } = /** @type {import("./draw.js").View} */ (this.view);
    const wanted = (90 * density) / scale;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const length = power * (wanted / power >= 5 ? 5 : wanted / power >= 2 ? 2 : 1);
    const [x, y] = [12 * density, this.canvas.height - 12 * density];
    ctx.strokeStyle = ctx.fillStyle = colours.muted;
    ctx.lineWidth = density;
    ctx.beginPath();
    ctx.moveTo(x, y - 4 * density);
    ctx.lineTo(x, y);
    ctx.lineTo(x + length * scale, y);
    ctx.lineTo(x + length * scale, y - 4 * density);
    ctx.stroke();
    ctx.font = `${11 * density}px system-ui, sans-serif`;
    ctx.fillText(digits(length), x + 4 * density, y - 6 * density);
  }

  /** Says what is at the point. */
  read() {
    if (!this.course || this.point < 0) return;
    this.readout.textContent = factsAt(this.course, this.point)
      .map(([name, value, unit]) => `${name} ${digits(value)}${unit}`).join(" · ");
  }

  /** Zooms around a place of the canvas, or its middle. @param {number} factor @param {number} [x] @param {number} [y] */
  zoom(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    if (!this.isFlat) {
      this.scene?.zoom(factor);
      return;
    }
    if (!this.course) return;
    const base = this.#base();
    this.view ??= base;
    const scale = Math.min(Math.max(this.view.scale * factor, base.scale / 4), base.scale * 200);
    const by = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * by, y: y - (y - this.view.y) * by };
    this.draw();
  }

  /** @param {number} dx @param {number} dy pixels of the canvas */
  pan(dx, dy) {
    if (!this.view) return;
    this.view.x += dx;
    this.view.y += dy;
    this.draw();
  }

  /** Chooses the point that is nearest to a place of the canvas. @param {number} x @param {number} y */
  near(x, y) {
    if (!this.course || !this.view || this.course.count === 0) return;
    const line = lineOf(this.course);
    let [best, at] = [Infinity, -1];
    for (let i = 0; i < this.course.count; i++) {
      const d = Math.hypot(this.view.x + line[3 * i] * this.view.scale - x, this.view.y - line[3 * i + 1] * this.view.scale - y);
      if (d < best) [best, at] = [d, i];
    }
    this.point = at;
    this.draw();
    this.read();
  }

  #listen() {
    const { canvas } = this;
    const place = (/** @type {MouseEvent} */ event) => {
      const density = canvas.width / Math.max(canvas.clientWidth, 1);
      return [event.offsetX * density, event.offsetY * density, density];
    };
    /** @type {Map<number, [number, number]>} */
    const fingers = new Map();
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = place(event);
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), x, y);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y, density] = place(event);
      const before = fingers.get(event.pointerId);
      if (!before) {
        this.near(x, y);
        return;
      }
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      if (others.length === 1) {
        const gap = (/** @type {number} */ px, /** @type {number} */ py) => Math.hypot(px - others[0][0], py - others[0][1]) || 1;
        this.zoom(gap(event.offsetX, event.offsetY) / gap(...before), others[0][0] * density, others[0][1] * density);
      } else {
        this.pan((event.offsetX - before[0]) * density, (event.offsetY - before[1]) * density);
      }
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => {
        const { pointerId } = /** @type {PointerEvent} */ (event);
        if (fingers.delete(pointerId) && name === "pointerup") {
          const [x, y] = place(/** @type {PointerEvent} */ (event));
          this.near(x, y);
        }
      });
    }
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.course || event.ctrlKey || event.metaKey) return;
    const step = 40 * (this.canvas.width / Math.max(this.canvas.clientWidth, 1));
    const n = this.course.count;
    const walk = (/** @type {number} */ by) => {
      this.point = n > 0 ? (Math.max(this.point, 0) + by + n) % n : -1;
      this.draw();
      this.read();
    };
    /** @type {Record<string, () => void>} */
    const does = {
      "+": () => this.zoom(1.3), "=": () => this.zoom(1.3), "-": () => this.zoom(1 / 1.3), 0: () => this.fitted(),
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step), ".": () => walk(1), ",": () => walk(-1),
    };
    if (!does[event.key]) return;
    event.preventDefault();
    does[event.key]();
  }
}
