export interface Series {
  readonly name: string;
  /** Points as `[x, y]`. */
  readonly points: readonly (readonly [number, number])[];
}

export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

const [WIDTH, HEIGHT, LEFT, TOP, GAP, LEGEND] = [760, 150, 60, 30, 60, 190];
const COLOURS = [
  '#1b6ca8',
  '#c8553d',
  '#588157',
  '#8e6c8a',
  '#b08900',
  '#3d405b',
  '#2a9d8f',
  '#7f5539',
  '#6c757d',
  '#d62246',
  '#4361ee',
];

/** Returns an SVG document with stacked panels. Each axis ranges from 0 to the largest value. */
export function plot(panels: readonly Panel[], xName: string): string {
  const height = panels.length * (HEIGHT + GAP) + TOP;
  const drawn = panels.map((panel, index) => draw(panel, TOP + index * (HEIGHT + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + LEFT + LEGEND} ${height}" font-family="sans-serif" font-size="11">
<title>${panels.map(({ title }) => title).join('; ')}, by ${xName}</title>
<rect width="100%" height="100%" fill="#fff"/>
${drawn.join('\n')}
<text x="${LEFT + WIDTH / 2}" y="${height - 8}" text-anchor="middle">${xName}</text>
</svg>
`;
}

function draw({ title, series }: Panel, top: number): string {
  const points = series.flatMap((one) => one.points);
  const maxX = Math.max(...points.map(([x]) => x), 1e-9);
  const maxY = Math.max(...points.map(([, y]) => y), 1e-9) * 1.05;
  const at = ([x, y]: readonly [number, number]) =>
    `${(LEFT + (x / maxX) * WIDTH).toFixed(1)},${(top + HEIGHT - (y / maxY) * HEIGHT).toFixed(1)}`;
  const lines = series.map(({ name, points: own }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const y = top + 10 + index * 13;
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${own.map(at).join(' ')}"/>
<text x="${LEFT + WIDTH + 10}" y="${y}" fill="${colour}">${name}</text>`;
  });
  const ticks = [0, 0.5, 1].map((share) => {
    const y = top + HEIGHT - (share / 1.05) * HEIGHT;
    const value = Number(((share * maxY) / 1.05).toPrecision(3));
    return `<line x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${y}" y2="${y}" stroke="#ddd"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${value}</text>`;
  });
  const times = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<text x="${LEFT + share * WIDTH}" y="${top + HEIGHT + 14}" text-anchor="middle">${Number((share * maxX).toPrecision(3))}</text>`,
  );
  return [
    `<text x="${LEFT}" y="${top - 8}" font-weight="bold">${title}</text>`,
    ...ticks,
    ...times,
    ...lines,
  ].join('\n');
}
