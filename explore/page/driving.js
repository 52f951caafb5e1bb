// Vehicles that drive: what comes from the world is played at the pace of a clock.
import { decode, digits } from "./courses.js";
import { drawCourse, fitView, palette } from "./draw.js";
import { fit, make } from "./dom.js";

/**
 * @typedef {{time: number, ends: string[], floats: Float32Array, whole: Int32Array}} Picture
 * @typedef {{scale: number, length: number, width: number, model: string, rate: number, laps: number}} Race
 */

const wordsOfCar = 10;
const trail = 40; // pictures behind a vehicle

/** Decodes a frame of vehicles. @param {import("./world.js").Frame} frame @returns {Picture} */
function decodeCars({ head, body }) {
  return { time: head.time, ends: head.ends, floats: new Float32Array(body), whole: new Int32Array(body) };
}

export class Driving {
  constructor() {
    /** @type {import("./courses.js").Course[]} */
    this.courses = [];
    /** @type {Picture[]} */
    this.pictures = [];
    this.top = 1;
    /** @type {Race | null} */
    this.race = null;
    this.time = 0;
    this.pace = 1;
    this.isPlaying = true;
    this.before = 0;
    this.loop = 0;
    this.play = make("button", { type: "button", onclick: () => this.#toggle() }, "Pause");
    this.slider = make("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time of the race",
      oninput: () => { this.time = Number(this.slider.value); this.draw(); } });
    this.clock = make("output", { class: "clock" }, "0.0 s");
    const pace = make("select", { "aria-label": "Pace", onchange: () => { this.pace = Number(pace.value); } },
      ...[["0.25", "¼ ×"], ["1", "1 ×"], ["4", "4 ×"], ["16", "16 ×"]].map(([value, text]) =>
        make("option", { value, selected: value === "1" }, text)));
    this.controls = make("div", { class: "controls" }, this.play, this.slider, this.clock, pace);
    this.grid = make("div", { class: "gallery" });
    this.element = make("div", { class: "driving" }, this.controls, this.grid);
    /** @type {{element: HTMLElement, canvas: HTMLCanvasElement, note: HTMLElement}[]} */
    this.cells = [];
    new ResizeObserver(() => this.draw()).observe(this.grid);
  }

  /** Begins anew: the next frames are of another race. */
  begin() {
    this.pictures = [];
    this.courses = [];
    this.time = 0;
    this.top = 1; // the highest speed so far
  }

  /** Takes a frame. @param {import("./world.js").Frame} frame */
  take(frame) {
    switch (frame.head.kind) {
      case "race":
        this.race = frame.head;
        break;
      case "tracks":
      case "gates":
        this.courses = decode(frame);
        this.#cards();
        break;
      case "cars":
        this.pictures.push(decodeCars(frame));
        for (let e = 0; e < frame.head.envs; e++) {
          this.top = Math.max(this.top, this.pictures[this.pictures.length - 1].floats[e * wordsOfCar + 4] || 0);
        }
        this.slider.max = String(this.pictures[this.pictures.length - 1].time);
        break;
    }
  }

  #cards() {
    const n = this.courses.length;
    while (this.cells.length > n) this.cells.pop()?.element.remove();
    while (this.cells.length < n) {
      const canvas = make("canvas", { "aria-hidden": "true" });
      const note = make("span", { class: "note" });
      const title = make("span", { class: "title" });
      const element = make("div", { class: "card", role: "group" }, canvas, make("span", { class: "legend" }, title, note));
      this.cells.push({ element, canvas, note });
      this.grid.append(element);
    }
    this.cells.forEach((cell, e) => {
      const course = this.courses[e];
      const title = /** @type {HTMLElement} */ (cell.element.querySelector(".title"));
      title.textContent = course.name || `seed ${course.numbers.seed}`;
      cell.element.setAttribute("aria-label", `vehicle on ${title.textContent}`);
      cell.element.classList.toggle("invalid", !course.valid);
    });
  }

  #toggle() {
    this.isPlaying = !this.isPlaying;
    this.play.textContent = this.isPlaying ? "Pause" : "Play";
    const last = this.pictures[this.pictures.length - 1];
    if (this.isPlaying && last && this.time >= last.time) this.time = 0;
  }

  /** Runs the clock while the view is shown. */
  start() {
    cancelAnimationFrame(this.loop);
    this.before = performance.now();
    const tick = (/** @type {number} */ now) => {
      const last = this.pictures[this.pictures.length - 1];
      if (this.isPlaying && last) {
        this.time = Math.min(this.time + ((now - this.before) / 1000) * this.pace, last.time);
        this.draw();
      }
      this.before = now;
      this.loop = requestAnimationFrame(tick);
    };
    this.loop = requestAnimationFrame(tick);
  }

  stop() {
    cancelAnimationFrame(this.loop);
  }

  draw() {
    if (!this.race || this.pictures.length === 0 || this.cells.length === 0) return;
    const at = Math.min(Math.floor(this.time * this.race.rate), this.pictures.length - 1);
    this.slider.value = String(this.time);
    this.clock.textContent = `${this.time.toFixed(1)} s`;
    const colours = palette();
    this.cells.forEach((cell, e) => {
      if (cell.canvas.clientWidth === 0) return;
      const density = fit(cell.canvas);
      const ctx = cell.canvas.getContext("2d");
      const course = this.courses[e];
      if (!ctx || !course) return;
      ctx.clearRect(0, 0, cell.canvas.width, cell.canvas.height);
      const view = fitView(course.box, cell.canvas.width, cell.canvas.height, 12 * density);
      drawCourse(ctx, course, view, colours, { colour: "plain", range: [0, 1], thin: density, large: false });
      this.#vehicle(ctx, view, e, at, colours, density);
      cell.note.textContent = this.#says(e, at);
    });
  }

  /** What a vehicle does. @param {number} e @param {number} at */
  #says(e, at) {
    const picture = this.pictures[at];
    const lap = picture.floats[e * wordsOfCar + 7];
    const done = picture.ends[e];
    if (done) {
      if (done.includes("laps")) return `lap ${digits(lap)} s`;
      return done === "no course" ? "no course" : `${done}, ${digits(picture.floats[e * wordsOfCar + 5])} m`;
    }
    return `${picture.floats[e * wordsOfCar + 4].toFixed(1)} m/s`;
  }

  /** @param {CanvasRenderingContext2D} ctx @param {import("./draw.js").View} view @param {number} e @param {number} at
   * @param {Record<string, string>} colours @param {number} density */
  #vehicle(ctx, view, e, at, colours, density) {
    const race = /** @type {Race} */ (this.race);
    const place = (/** @type {number} */ k) => {
      const f = this.pictures[k].floats;
      return [view.x + f[e * wordsOfCar] * view.scale, view.y - f[e * wordsOfCar + 1] * view.scale];
    };
    if (this.pictures[at].ends[e] === "no course" || !Number.isFinite(place(at)[0])) return;
    ctx.lineWidth = 2 * density;
    ctx.strokeStyle = colours.accent;
    ctx.beginPath();
    for (let k = Math.max(0, at - trail); k <= at; k++) {
      const [x, y] = place(k);
      if (k === Math.max(0, at - trail)) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
    }
    ctx.stroke();
    const [x, y] = place(at);
    const yaw = this.pictures[at].floats[e * wordsOfCar + 3];
    const ended = this.pictures[at].ends[e];
    const isCrash = ended !== "" && !ended.includes("laps");
    const length = Math.max(race.length * view.scale, 9 * density);
    const width = Math.max(race.width * view.scale, 5 * density);
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(-yaw);
    ctx.fillStyle = isCrash ? colours.wrong : colours.ink;
    ctx.strokeStyle = colours.paper;
    ctx.lineWidth = density;
    ctx.beginPath();
    ctx.moveTo(length / 2, 0);
    ctx.lineTo(length / 4, width / 2);
    ctx.lineTo(-length / 2, width / 2);
    ctx.lineTo(-length / 2, -width / 2);
    ctx.lineTo(length / 4, -width / 2);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
    ctx.restore();
    // A bar of the speed at the lower edge.
    const speed = this.pictures[at].floats[e * wordsOfCar + 4];
    ctx.fillStyle = isCrash ? colours.wrong : colours.accent;
    ctx.fillRect(0, ctx.canvas.height - 3 * density, Math.min(Math.max(speed / this.top, 0), 1) * ctx.canvas.width, 3 * density);
  }
}
