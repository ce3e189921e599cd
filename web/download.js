// Saves tables as CSV, and charts as pictures, from the page itself: nothing is fetched.
{
  // Hands a file to the reader's download folder.
  const save = (name, type, content) => {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = lapcast.el("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60e3);
  };

  // Returns one field of a CSV file (RFC 4180). A text that begins with = + - @, a tab or a line
  // break gets a leading ', so that no spreadsheet takes it for a formula. Numbers stay numbers.
  const csv_field = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    let text = typeof value === "object" ? lapcast.format.settings(value) : String(value);
    if (/^[=+\-@\t\r\n]/.test(text)) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };

  // Returns the CSV text of a table {columns, rows}; the header has the keys of the columns.
  const csv = ({ columns, rows }) => {
    const lines = [columns.map((column) => csv_field(column.key))];
    for (const row of rows) lines.push(row.map(csv_field));
    return lines.map((line) => `${line.join(",")}\r\n`).join("");
  };

  const svg_text = (svg) => {
    const copy = svg.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return new XMLSerializer().serializeToString(copy);
  };

  // Returns the SVG text of a drawn chart on the page's background.
  const svg_of = async (plot, plotly) => {
    if (!plotly || !plot._fullLayout) return svg_text(plot.querySelector("svg"));
    const [width, height] = [plot.clientWidth, plot.clientHeight];
    const url = await plotly.toImage(plot, { format: "svg", width, height, imageDataOnly: true });
    return url.startsWith("data:") ? decodeURIComponent(url.replace(/^data:[^,]*,/, "")) : url;
  };

  const png_of = (svg, width, height) => new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = lapcast.el("canvas", { width: 2 * width, height: 2 * height });
      const context = canvas.getContext("2d");
      context.fillStyle = lapcast.theme().paper;
      context.fillRect(0, 0, 2 * width, 2 * height);
      context.drawImage(image, 0, 0, 2 * width, 2 * height);
      canvas.toBlob(resolve, "image/png");
    };
    image.onerror = () => reject(new Error("the picture cannot be made"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });

  lapcast.save = save;
  lapcast.csv = csv;
  lapcast.save_csv = (name, table) => save(`lapcast-${name}.csv`, "text/csv", csv(table));
  lapcast.save_svg = async (name, plot) => {
    save(`lapcast-${name}.svg`, "image/svg+xml", await svg_of(plot, await lapcast.plotly));
  };
  lapcast.save_png = async (name, plot) => {
    const svg = await svg_of(plot, await lapcast.plotly);
    save(`lapcast-${name}.png`, "image/png", await png_of(svg, plot.clientWidth, plot.clientHeight));
  };
}
