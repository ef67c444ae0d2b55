import { goalsOf } from './goals.js';
import { growthPlot, latencyPlot, sharePlot } from './plots.js';
import { cellsOf, factLines, growthCells, markdownTable, type Report, type SizeReport } from './report.js';

/** A run as a page with plots, and as the document that is stored in the repository. */

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const table = ([head = [], ...rows]: string[][]): string => {
  const line = (cells: string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(head, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table>`;
};

const goalCells = (report: Report): string[][] => [
  ['goal', 'measured', 'target', 'reached'],
  ...goalsOf(report).map(({ what, measured, wanted, reached }) => [what, measured, wanted, reached ? 'yes' : 'no']),
];

const sameSize = (earlier: Report | undefined, size: SizeReport): SizeReport | undefined =>
  earlier?.sizes.find(({ events }) => events === size.events);

const COLUMNS =
  'ms: CPU time of the server per request. Share: requests per second of CPU time, divided by those of the bare server for the same bytes (the median of the turns). p50, p99: latency in milliseconds. "vs before": change since the previous run of the cost in units of the bare server’s.';

export function pageOf(report: Report, earlier: Report | undefined): string {
  const sizes = report.sizes.map(
    (size) => `<h2>${size.events.toLocaleString('en')} events</h2>
<p>${factLines(size).map(escaped).join('<br>')}</p>
${sharePlot(size)}
${latencyPlot(size)}
${table(cellsOf(size, sameSize(earlier, size)))}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Kalends benchmark, ${report.date}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1200px;padding:0 1rem}table{border-collapse:collapse;font-size:12px;font-variant-numeric:tabular-nums}td,th{border-bottom:1px solid #ddd;padding:2px 8px;text-align:right}td:first-child,th:first-child{text-align:left}svg{display:block;margin:1rem 0;max-width:100%;height:auto}</style></head>
<body><h1>Kalends ${escaped(report.version)}, benchmark of ${report.date}</h1>
<p><code>${escaped(report.command)}</code><br>${escaped(report.machine)}; load average ${report.load.map((n) => n.toFixed(1)).join(' to ')}</p>
${table(goalCells(report))}
${report.sizes.length > 1 ? growthPlot(report) : ''}
${report.growth ? table(growthCells(report)) : ''}
<p>${COLUMNS}</p>
${sizes.join('\n')}
</body></html>
`;
}

export function resultsMarkdown(report: Report, earlier: Report | undefined, plots: string[]): string {
  const sizes = report.sizes.map(
    (size) => `## ${size.events.toLocaleString('en')} events

${factLines(size).join('; ')}.

${plots
  .filter((name) => name.endsWith(`-${size.events}`))
  .map((name) => `![${name}](plots/${name}.svg)`)
  .join('\n')}

${markdownTable(cellsOf(size, sameSize(earlier, size)))}
`,
  );
  return `# Benchmark results

${report.date}, version ${report.version}, \`${report.command}\`

${report.machine}; load average ${report.load.map((n) => n.toFixed(1)).join(' to ')}.

${COLUMNS}

${markdownTable(goalCells(report))}

${plots.includes('growth') ? '![growth](plots/growth.svg)\n' : ''}
${report.growth ? `${markdownTable(growthCells(report))}\n` : ''}
${sizes.join('\n')}`;
}
