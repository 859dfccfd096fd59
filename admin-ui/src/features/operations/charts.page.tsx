import { NativeSelect, Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, useSetFilters } from '../../ui/filters.tsx';
import { fiatText } from '../../ui/money.ts';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { BarChart, type Series } from './bar-chart.tsx';
import { CHART_DAYS, type ChartsSearch } from './charts-search.ts';
import { StatePage } from './state-page.tsx';

type Day = components['schemas']['ChartDay'];

const DAYS_USUAL = '14';

/** The figures of the last days. */
export function ChartsPage() {
  const { days: chosen }: Partial<ChartsSearch> = useSearch({ strict: false });
  const days = chosen ?? DAYS_USUAL;
  return (
    <StatePage
      title="Charts"
      summary="Sums of closed hours, by day in UTC."
      topic="charts"
      name={`charts ${days}`}
      load={({ params, ...request }) =>
        answerOf(
          api.GET('/admin/api/{environment}/charts', {
            ...request,
            params: { ...params, query: { days: Number(days) } },
          }),
        )
      }
    >
      {(charts) => (
        <Stack gap="md">
          <DaysFilter value={chosen} />
          <p>
            {charts.until === null ? (
              'No hour was counted yet.'
            ) : (
              <>
                Counted up to <Time at={charts.until} />.
              </>
            )}
          </p>
          <ChartPanel
            title="Settled volume"
            days={charts.days}
            columns={VOLUME}
            series={[volumeOf(charts.days)]}
            format={(cents) => fiatText(cents, 'USD')}
          />
          <ChartPanel
            title="Payment intents"
            days={charts.days}
            columns={INTENTS}
            series={[
              seriesOf(charts.days, 'Completed', ({ intents_completed: count }) => count),
              seriesOf(charts.days, 'Failed', ({ intents_failed: count }) => count),
              seriesOf(charts.days, 'Expired or cancelled', (day) => day.intents_expired + day.intents_cancelled),
            ]}
          />
          <ChartPanel
            title="Webhooks"
            days={charts.days}
            columns={WEBHOOKS}
            series={[
              seriesOf(charts.days, 'Delivered', ({ attempts_delivered: count }) => count),
              seriesOf(charts.days, 'Failed attempts', ({ attempts_failed: count }) => count),
            ]}
          />
        </Stack>
      )}
    </StatePage>
  );
}

function DaysFilter({ value }: { readonly value: ChartsSearch['days'] | undefined }) {
  const set = useSetFilters<{ days: ChartsSearch['days'] | undefined }>();
  return (
    <Filters label="Filters of charts" onClear={value === undefined ? undefined : () => set({ days: undefined })}>
      <NativeSelect
        size="xs"
        label="Days"
        value={value ?? DAYS_USUAL}
        data={[...CHART_DAYS]}
        onChange={({ currentTarget }) => set({ days: CHART_DAYS.find((days) => days === currentTarget.value) })}
      />
    </Filters>
  );
}

interface ChartPanelProps {
  readonly title: string;
  readonly days: readonly Day[];
  readonly columns: readonly Column<Day>[];
  readonly series: readonly Series[];
  /** Writes a value; whole numbers without it. */
  readonly format?: (value: number) => string;
}

/** A chart, and its figures as a table: the newest day first. */
function ChartPanel({ title, days, columns, series, format = wholeText }: ChartPanelProps) {
  return (
    <Panel title={title}>
      <BarChart label={title} days={days.map(({ id }) => id)} series={series} format={format} />
      <details>
        <summary>Figures of {title.toLowerCase()}</summary>
        <DataTable
          label={title}
          columns={columns}
          rows={days.toReversed()}
          empty={{ title: 'No days', hint: 'Choose more days.' }}
        />
      </details>
    </Panel>
  );
}

const seriesOf = (days: readonly Day[], label: string, valueOf: (day: Day) => number): Series => ({
  label,
  values: days.map(valueOf),
});

const volumeOf = (days: readonly Day[]): Series => seriesOf(days, 'Settled', ({ settled_cents: cents }) => cents);

const DAY: Column<Day> = { key: 'day', header: 'Day', cell: ({ id }) => id };

const VOLUME: readonly Column<Day>[] = [
  DAY,
  { key: 'settled', header: 'Settled', align: 'right', cell: ({ settled_cents: cents }) => fiatText(cents, 'USD') },
];

const INTENTS: readonly Column<Day>[] = [
  DAY,
  { key: 'created', header: 'Created', align: 'right', cell: ({ intents_created: value }) => wholeText(value) },
  { key: 'completed', header: 'Completed', align: 'right', cell: ({ intents_completed: value }) => wholeText(value) },
  { key: 'failed', header: 'Failed', align: 'right', cell: ({ intents_failed: value }) => wholeText(value) },
  { key: 'expired', header: 'Expired', align: 'right', cell: ({ intents_expired: value }) => wholeText(value) },
  { key: 'cancelled', header: 'Cancelled', align: 'right', cell: ({ intents_cancelled: value }) => wholeText(value) },
];

const WEBHOOKS: readonly Column<Day>[] = [
  DAY,
  { key: 'delivered', header: 'Delivered', align: 'right', cell: ({ attempts_delivered: value }) => wholeText(value) },
  { key: 'failed', header: 'Failed attempts', align: 'right', cell: ({ attempts_failed: value }) => wholeText(value) },
];
