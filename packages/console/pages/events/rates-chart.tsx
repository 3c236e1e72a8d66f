import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { SimpleTable } from '../../components/simple-table.tsx';
import { formatNumber, languageTag, t } from '../../translations/translate.ts';
import './rates-chart.css';

const HEIGHT = 240;

export interface RatesChartProps {
  /** First minute in Unix milliseconds. */
  readonly firstMinute: number;
  /** Events per minute. */
  readonly accepted: readonly number[];
  /** Rejected events and requests per minute. */
  readonly rejected: readonly number[];
}

/** A chart of the events per minute. The same numbers are in a table. */
export function RatesChart({ firstMinute, accepted, rejected }: RatesChartProps) {
  const root = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [shown, setShown] = useState<number | null>(null);
  const minutes = accepted.map((_, index) => firstMinute / 1000 + index * 60);
  const data = useRef<uPlot.AlignedData>([[], [], []]);
  data.current = [minutes, [...accepted], [...rejected]];
  useEffect(() => {
    const node = root.current;
    if (node === null) return;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(optionsFor(node, setShown), data.current, node);
    };
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    const resized = new ResizeObserver(() =>
      chart.current?.setSize({ width: node.clientWidth, height: HEIGHT }),
    );
    resized.observe(node);
    return () => {
      dark.removeEventListener('change', draw);
      resized.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, []);
  useEffect(() => chart.current?.setData(data.current), [firstMinute, accepted, rejected]);
  const format = new Intl.DateTimeFormat(languageTag(), { timeStyle: 'short' });
  const at = shown ?? accepted.length - 1;
  return (
    <figure class="rates">
      <div ref={root} dir="ltr" role="img" aria-label={t('Events per minute in the last hour')} />
      <figcaption>
        <span class="legend accepted">{t('accepted')}</span>{' '}
        <span class="legend rejected">{t('rejected')}</span>{' '}
        <span class="hint">
          {t('{time}: {accepted} accepted, {rejected} rejected', {
            time: format.format((minutes[at] ?? 0) * 1000),
            accepted: accepted[at] ?? 0,
            rejected: rejected[at] ?? 0,
          })}{' '}
          {at === accepted.length - 1 && t('(this minute is incomplete)')}
        </span>
      </figcaption>
      <details>
        <summary>{t('The chart as a table')}</summary>
        <SimpleTable
          caption={t('Events per minute')}
          columns={[t('Minute'), t('Accepted'), t('Rejected')]}
          rows={minutes
            .map((minute, index) => [
              format.format(minute * 1000),
              formatNumber(accepted[index] ?? 0),
              formatNumber(rejected[index] ?? 0),
            ])
            .reverse()}
        />
      </details>
    </figure>
  );
}

/** Returns the options of the chart, with the colours of the theme that the page has now. */
function optionsFor(node: HTMLElement, onShown: (minute: number | null) => void): uPlot.Options {
  const figure = node.parentElement ?? node;
  const colorOf = (selector: string, property = 'color') => {
    const element = figure.querySelector(selector) ?? figure;
    return getComputedStyle(element).getPropertyValue(property);
  };
  const time = new Intl.DateTimeFormat(languageTag(), { timeStyle: 'short' });
  const count = new Intl.NumberFormat(languageTag(), { notation: 'compact' });
  const axis: uPlot.Axis = {
    stroke: colorOf('.hint'),
    font: `12px ${getComputedStyle(figure).fontFamily}`,
    grid: { stroke: colorOf('figcaption', 'border-top-color'), width: 1 },
    ticks: { show: false },
  };
  const [accepted, rejected] = [colorOf('.accepted'), colorOf('.rejected')];
  return {
    width: node.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { y: { range: (_, _min, max) => [0, Math.max(5, max * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 28,
        space: 70,
        values: (_, splits) => splits.map((second) => time.format(second * 1000)),
      },
      {
        ...axis,
        size: 56,
        incrs: [
          1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6,
        ],
        values: (_, splits) => splits.map((value) => count.format(value)),
      },
    ],
    series: [
      {},
      { stroke: accepted, width: 2, fill: transparent(accepted), points: { show: false } },
      { stroke: rejected, width: 2, points: { show: false } },
    ],
    hooks: { setCursor: [({ cursor }) => onShown(cursor.idx ?? null)] },
  };
}

/** Returns a computed colour (`rgb(…)`) with an opacity of 12 percent. */
function transparent(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.12)');
}
