import { BUCKET_STEP, FIRST_BUCKET } from './client.js';
import { type Report, type Row, rowsOf, type SizeReport, shareOf } from './report.js';

/** Plots as SVG, drawn without a library: only a few kinds are needed. */

const COLOURS = [
  '#1b6ca8',
  '#c8553d',
  '#588b3e',
  '#8e5ea2',
  '#b8860b',
  '#3f8f8f',
  '#d16ba5',
  '#6b705c',
  '#e07a1f',
  '#444',
];
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const colour = (n: number): string => COLOURS[n % COLOURS.length] as string;

interface Series {
  name: string;
  points: [x: number, y: number][];
}

const svg = (width: number, height: number, title: string, inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(title)}"><rect width="100%" height="100%" fill="#fff"/><text x="12" y="22" font-size="15" font-weight="600">${escaped(title)}</text>${inside}</svg>`;

const text = (x: number, y: number, value: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(value)}</text>`;

/** Lines on logarithmic axes; `shownX` gives the labels of the ticks. */
function lines(title: string, xName: string, yName: string, series: Series[], shownX: (x: number) => string): string {
  const filled = series.filter(({ points }) => points.length > 0);
  const all = filled.flatMap(({ points }) => points);
  if (all.length === 0) return '';
  const [width, height, left, right, top, bottom] = [900, 60 + Math.max(320, filled.length * 16), 60, 230, 40, 40];
  const range = (values: number[]): [number, number] => {
    const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
    return high - low < 0.1 ? [low - 0.3, high + 0.3] : [low, high];
  };
  const [x0, x1] = range(all.map(([x]) => x));
  const [y0, y1] = range(all.map(([, y]) => y));
  const atX = (x: number): number => left + ((Math.log10(x) - x0) / (x1 - x0)) * (width - left - right);
  const atY = (y: number): number => height - bottom - ((Math.log10(y) - y0) / (y1 - y0)) * (height - top - bottom);
  let inside = '';
  for (let power = Math.ceil(y0 * 3); power <= Math.floor(y1 * 3); power++) {
    const value = 10 ** (power / 3);
    const y = atY(value);
    inside += `<path d="M${left} ${y.toFixed(1)}H${width - right}" stroke="#ddd"/>${text(left - 6, y + 4, String(Number(value.toPrecision(2))), 'text-anchor="end"')}`;
  }
  for (const x of new Set(xName === 'events' ? all.map(([one]) => one) : [0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300])) {
    if (Math.log10(x) < x0 - 0.01 || Math.log10(x) > x1 + 0.01) continue;
    inside += `<path d="M${atX(x).toFixed(1)} ${top}V${height - bottom}" stroke="#eee"/>${text(atX(x), height - bottom + 16, shownX(x), 'text-anchor="middle"')}`;
  }
  inside += text(left, height - 6, xName) + text(12, top - 4, yName);
  for (const [n, { name, points }] of filled.entries()) {
    const way = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${atX(x).toFixed(1)} ${atY(y).toFixed(1)}`).join('');
    const dash = n >= COLOURS.length ? ' stroke-dasharray="5 3"' : '';
    inside += `<path d="${way}" fill="none" stroke="${colour(n)}" stroke-width="2"${dash}/>`;
    for (const [x, y] of points.length < 5 ? points : [])
      inside += `<circle cx="${atX(x).toFixed(1)}" cy="${atY(y).toFixed(1)}" r="3" fill="${colour(n)}"/>`;
    inside += `<rect x="${width - right + 14}" y="${top + n * 16}" width="10" height="10" fill="${colour(n)}"/>${text(width - right + 30, top + 9 + n * 16, name)}`;
  }
  return svg(width, height, title, inside);
}

const busiest = (size: SizeReport): number =>
  size.results.some(({ connections, kind }) => connections === 8 && kind !== 'write')
    ? 8
    : (size.results[0]?.connections ?? 8);

const rowsAt = (size: SizeReport): Row[] => rowsOf(size).filter(({ connections }) => connections === busiest(size));

export function growthPlot({ sizes }: Report): string {
  const names = new Set(
    sizes.flatMap((size) =>
      rowsAt(size)
        .filter(({ cold, kind }) => cold && kind !== 'write')
        .map(({ scenario }) => scenario),
    ),
  );
  const series = [...names].map(
    (name): Series => ({
      name,
      points: sizes.flatMap((size) => {
        const cpu = rowsAt(size).find(({ scenario }) => scenario === name)?.cold?.cpu;
        return cpu ? [[size.events, cpu] as [number, number]] : [];
      }),
    }),
  );
  return lines('Cold cost by size of the calendar', 'events', 'CPU ms per request', series, (x) =>
    x.toLocaleString('en'),
  );
}

const DISTRIBUTIONS = ['default list', 'category, many', 'search, common word', 'single'];

export function latencyPlot(size: SizeReport): string {
  const series = rowsAt(size)
    .filter(({ scenario }) => DISTRIBUTIONS.includes(scenario))
    .flatMap((row) =>
      (['cold', 'warm'] as const).map((temperature): Series => {
        const { histogram = [], requests = 1 } = row[temperature] ?? {};
        const points = histogram.flatMap((n, bucket) =>
          n > 0 ? [[FIRST_BUCKET * BUCKET_STEP ** bucket, (n / requests) * 100] as [number, number]] : [],
        );
        return { name: `${row.scenario}, ${temperature}`, points };
      }),
    );
  return lines(
    `Latency, ${size.events.toLocaleString('en')} events, ${busiest(size)} connections`,
    'milliseconds',
    '% of responses',
    series,
    String,
  );
}

export function sharePlot(size: SizeReport): string {
  const rows = rowsAt(size).filter(({ bareWarm }) => bareWarm);
  const [width, left, step] = [900, 190, 30];
  const scale = (width - left - 60) / 1.1;
  const height = 60 + rows.length * step;
  let inside = `<path d="M${left + scale} 34V${height - 14}" stroke="#888" stroke-dasharray="4 3"/>${text(left + scale, height - 2, 'the bare server', 'text-anchor="middle"')}`;
  for (const [n, row] of rows.entries()) {
    const y = 40 + n * step;
    inside += text(left - 8, y + 15, row.scenario, 'text-anchor="end"');
    for (const [i, share] of [shareOf(row.cold, row.bareCold), shareOf(row.warm, row.bareWarm)].entries()) {
      if (share === undefined) continue;
      const long = Math.min(1.1, share) * scale;
      inside += `<rect x="${left}" y="${y + i * 11}" width="${long.toFixed(1)}" height="10" fill="${colour(i)}"/>${text(left + long + 5, y + 9 + i * 11, share.toFixed(3), 'font-size="10"')}`;
    }
  }
  inside +=
    text(width - 170, 22, '■ cold', `fill="${colour(0)}"`) + text(width - 110, 22, '■ warm', `fill="${colour(1)}"`);
  return svg(
    width,
    height,
    `Throughput relative to the bare server, ${size.events.toLocaleString('en')} events, ${busiest(size)} connections`,
    inside,
  );
}
