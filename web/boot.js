"use strict";
// Makes `lapcast`, the one global that all other files add to, and starts the page. This file comes
// first. All scripts of the page are joined into one; each file keeps its own names in a block.
window.lapcast = {
  charts: [],
  // Registers a chart. docs/report.md says what a chart has.
  chart(spec) { this.charts.push(spec); },
  families: [],
  // Registers a function that makes charts for a page: as many as its document has data for.
  family(charts_of) { this.families.push(charts_of); },
  // Makes an element. Children that are texts become text nodes, never markup.
  el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "style") element.style.cssText = value;
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
  },
};

{
  // Returns the bytes of a base64 text.
  lapcast.bytes_of = (base64) => {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes;
  };

  // Returns what a raw deflate stream (RFC 1951) holds. The promise fails beyond `most` bytes.
  lapcast.inflate = async (bytes, most) => {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const reader = stream.getReader();
    const pieces = [];
    let size = 0;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      pieces.push(piece.value);
      size += piece.value.length;
      if (size > most) throw new Error("compressed data is longer than it says");
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  };

  // Runs a script from memory: a Blob URL needs no network and no permission for eval.
  const run_script = (bytes) => new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
    const script = lapcast.el("script", { src: url, onload: resolve, onerror: reject });
    document.head.append(script);
  });

  // Is a promise of Plotly, or of null where the page carries none or it cannot be unpacked.
  const load_plotly = async () => {
    const base64 = document.getElementById("plotly").textContent.trim();
    if (base64.length < 1000) return null;
    await run_script(await lapcast.inflate(lapcast.bytes_of(base64), 64e6));
    return window.Plotly ?? null;
  };

  const start = async () => {
    lapcast.plotly = load_plotly().catch(() => null);
    lapcast.start_theme();
    const text = document.getElementById("data").textContent.trim();
    if (!text) return;  // a live page shows its documents itself
    try {
      const data = JSON.parse(text);
      if (data.kind !== "serve") await lapcast.show(data);
    } catch (error) {
      document.getElementById("main").append(lapcast.el(
          "p", { class: "notice" }, `The data of this report cannot be read: ${error.message}`));
      throw error;
    }
  };
  document.addEventListener("DOMContentLoaded", start);
}
