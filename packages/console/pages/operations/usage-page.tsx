import type { Usage } from '@gatehouse/client';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { usagePath, withQuery } from '../../app/paths.ts';
import { Select } from '../../components/field.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { formatNumber, languageTag, plural, t } from '../../translations/translate.ts';

const PERIODS = [7, 30, 90, 365] as const;
const AMOUNTS = [
  'questions',
  'inputTokens',
  'outputTokens',
  'cost',
  'documents',
  'events',
] as const;
type Amount = (typeof AMOUNTS)[number];
const DAY_MS = 24 * 3_600_000;

const amountNames = () =>
  ({
    questions: t('Questions'),
    inputTokens: t('Input tokens'),
    outputTokens: t('Output tokens'),
    cost: t('Cost'),
    documents: t('Indexed documents'),
    events: t('Events'),
  }) as const satisfies Record<Amount, string>;

/** The usage of a space per day. The period and the charted amount are in the address. */
export function UsagePage() {
  const { spaceId = '' } = useRoute().params;
  const { query, route } = useLocation();
  const days = PERIODS.find((period) => String(period) === query['days']) ?? 30;
  const amount = AMOUNTS.find((one) => one === query['amount']) ?? 'questions';
  const path = usagePath(spaceId);
  const { data, problem } = useLoaded(`usage ${spaceId} ${days}`, () => {
    const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
    return client.spaces.usage({ from }, { spaceId });
  });
  const go = (change: Readonly<Record<string, string>>) =>
    route(withQuery(path, { days: String(days), amount, ...change }));
  return (
    <>
      <h1>{t('Usage')}</h1>
      <search>
        <form class="row" onSubmit={(event) => event.preventDefault()}>
          <Select
            label={t('Period')}
            options={PERIODS.map(
              (period) => [String(period), plural(period, '{count} day', '{count} days')] as const,
            )}
            value={String(days)}
            onValue={(value) => go({ days: value })}
          />
          <Select
            label={t('Chart')}
            options={AMOUNTS.map((one) => [one, amountNames()[one]] as const)}
            value={amount}
            onValue={(value) => go({ amount: value })}
          />
        </form>
      </search>
      {problem && <ProblemNote problem={problem} />}
      {data === undefined && problem === null && <LoadingNote />}
      {data !== undefined && (
        <>
          {data.budget !== null && <BudgetNote budget={data.budget} />}
          <Chart usage={data} amount={amount} />
          <Days usage={data} />
        </>
      )}
    </>
  );
}

/** The limits of the budget, each with the amount that was spent. */
function BudgetNote({
  budget: { limits, day, month, isUsedUp },
}: {
  readonly budget: NonNullable<Usage['budget']>;
}) {
  const { tokensPerDay, tokensPerMonth, costPerDay, costPerMonth } = limits;
  const lines = [
    [t('Tokens today'), day.tokens, tokensPerDay],
    [t('Tokens this month'), month.tokens, tokensPerMonth],
    [t('Cost today'), day.cost, costPerDay],
    [t('Cost this month'), month.cost, costPerMonth],
  ] as const;
  return (
    <section aria-labelledby="budget">
      <h2 id="budget">{t('Budget for models')}</h2>
      {isUsedUp && (
        <p class="problem">
          {t('The budget is used up. Answers quote documents without a model.')}
        </p>
      )}
      <ul>
        {lines.map(
          ([name, spent, limit]) =>
            limit !== undefined && (
              <li key={name}>
                {t('{name}: {spent} of {limit}', {
                  name,
                  spent: formatNumber(spent),
                  limit: formatNumber(limit),
                })}
              </li>
            ),
        )}
      </ul>
    </section>
  );
}

interface ChartProps {
  readonly usage: Usage;
  readonly amount: Amount;
}

const HEIGHT = 120;

/** One bar per day, with the largest amount and the first and last day as axes. The table below contains the same numbers for screen readers. */
function Chart({ usage: { days }, amount }: ChartProps) {
  const most = Math.max(...days.map((day) => day[amount]), 0);
  const name = amountNames()[amount];
  return (
    <figure>
      <figcaption>{t('{amount} per day', { amount: name })}</figcaption>
      {most === 0 ? (
        <p class="empty">{t('Nothing was counted in this period.')}</p>
      ) : (
        <div class="bars" aria-hidden="true">
          <span class="most">{formatNumber(most)}</span>
          <span class="zero">0</span>
          <svg
            class="chart"
            viewBox={`0 0 ${days.length * 10} ${HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {days.map((day, index) => {
              const height = (day[amount] / most) * HEIGHT;
              return (
                <rect
                  key={day.day}
                  x={index * 10 + 1}
                  y={HEIGHT - height}
                  width={8}
                  height={height}
                >
                  <title>{`${dayText(day.day)}: ${formatNumber(day[amount])}`}</title>
                </rect>
              );
            })}
          </svg>
          <span class="days">
            <span>{dayText(days[0]?.day ?? '')}</span>
            <span>{dayText(days.at(-1)?.day ?? '')}</span>
          </span>
        </div>
      )}
    </figure>
  );
}

/** The days on which something was counted, newest first. */
function Days({ usage: { days, totals } }: { readonly usage: Usage }) {
  const names = amountNames();
  const used = days.filter((day) => AMOUNTS.some((amount) => day[amount] > 0));
  if (used.length === 0) return null;
  return (
    <div class="scroll">
      <table>
        <caption class="visually-hidden">{t('Usage')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Day (UTC)')}</th>
            {AMOUNTS.map((amount) => (
              <th scope="col" class="number" key={amount}>
                {names[amount]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <strong>{t('Total')}</strong>
            </td>
            {AMOUNTS.map((amount) => (
              <td class="number" key={amount}>
                <strong>{formatNumber(totals[amount])}</strong>
              </td>
            ))}
          </tr>
          {used.toReversed().map((day) => (
            <tr key={day.day}>
              <td>{dayText(day.day)}</td>
              {AMOUNTS.map((amount) => (
                <td class="number" key={amount}>
                  {formatNumber(day[amount])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function dayText(day: string): string {
  const format = new Intl.DateTimeFormat(languageTag(), { dateStyle: 'medium', timeZone: 'UTC' });
  return format.format(new Date(day));
}
