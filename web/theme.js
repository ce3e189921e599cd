// Light and dark: follows the system until the reader presses the button.
{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const is_dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

  const name_button = () => {
    const other = is_dark() ? "light" : "dark";
    const button = document.getElementById("theme");
    button.textContent = is_dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${other} theme`);
  };

  lapcast.start_theme = () => {
    name_button();
    document.getElementById("theme").addEventListener("click", () => {
      root.dataset.theme = is_dark() ? "light" : "dark";
      name_button();
      lapcast.redraw();
    });
    system.addEventListener("change", () => {
      name_button();
      lapcast.redraw();
    });
  };

  // Returns whether the window is as narrow as a telephone.
  lapcast.narrow = () => innerWidth < 620;

  // Returns the colours and the font for charts, read from style.css.
  lapcast.theme = () => {
    const style = getComputedStyle(root);
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
      dark: is_dark(),
      text: of("text"),
      muted: of("muted"),
      line: of("line"),
      paper: of("paper"),
      accent: of("accent"),
      good: of("good"),
      bad: of("bad"),
      soft: of("soft"),
      font: getComputedStyle(document.body).fontFamily,
      colours: Array.from({ length: 8 }, (_, i) => of(`c${i + 1}`)),
      scale: [[0, of("scale-1")], [0.5, of("scale-2")], [1, of("scale-3")]],
    };
  };

  // Returns a function that gives each name a colour of its own, in the order of first use.
  lapcast.colours_for = (theme, names) => {
    const unique = [...new Set(names)];
    return (name) => theme.colours[Math.max(0, unique.indexOf(name)) % theme.colours.length];
  };

  // Returns a colour with another opacity.
  lapcast.faded = (hex, opacity) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return `rgba(${r},${g},${b},${opacity})`;
  };
}
