import { Alert, Stack } from '@mantine/core';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Commands } from '../../ui/commands.tsx';
import { DataTable, EmptyState } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { priceText } from '../../ui/money.ts';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { StatePage } from './state-page.tsx';

type Price = components['schemas']['TokenPrice'];
type Source = components['schemas']['PriceSource'];

/** The prices of the newest snapshot, and what every source said. */
export function PricesPage() {
  return (
    <StatePage
      title="Prices"
      summary="The newest prices and their evidence. An address is generated only while its price is at most 60 s old."
      topic="prices"
      name="prices"
      load={({ params, signal, headers }) =>
        answerOf(api.GET('/admin/api/{environment}/prices', { params, signal, headers }))
      }
    >
      {({ prices, age_seconds: age, is_fresh: isFresh, commands }) => (
        <Stack gap="md">
          {age !== null && !isFresh && (
            <Alert color="red" variant="light" title="The prices are too old to be quoted">
              {`The newest snapshot is ${wholeText(Math.round(age))} s old. `}A process with the role worker takes one
              every few seconds: check that it runs and reaches the sources.
            </Alert>
          )}
          {prices.length === 0 && (
            <EmptyState
              title="No price was taken yet"
              hint="A process with the role worker takes them for the tokens on offer, from the sources of PRICE_SOURCES."
            />
          )}
          {prices.map((price) => (
            <PricePanel key={price.id} price={price} ageSeconds={age} />
          ))}
          <Panel title="Ask the sources now">
            <p>The check asks every source, and says which does not answer and why.</p>
            <Commands commands={commands} />
          </Panel>
        </Stack>
      )}
    </StatePage>
  );
}

const CODE: Readonly<Record<Price['code'], string>> = {
  agreed: 'the sources agree',
  fixed: 'fixed by the configuration',
  too_few_sources: 'too few fresh sources',
  no_agreement: 'the sources do not agree',
  vetoed: 'a reference vetoes it',
};

function PricePanel({ price, ageSeconds }: { readonly price: Price; readonly ageSeconds: number | null }) {
  return (
    <Panel title={price.id}>
      <Facts
        facts={[
          { label: 'Quotable', value: <QuoteState price={price} /> },
          { label: 'Price', value: price.price === null ? null : priceText(price.price, 'USD') },
          { label: 'Age', value: ageSeconds === null ? null : `${wholeText(Math.round(ageSeconds))} s` },
          {
            label: 'Result',
            value: `${CODE[price.code]}: ${price.used_sources} used of ${price.fresh_sources} fresh, ${price.quorum} needed`,
          },
        ]}
      />
      <DataTable
        label={`Sources of ${price.id}`}
        columns={COLUMNS}
        rows={price.sources.map((source) => ({ ...source, id: source.source }))}
        empty={{ title: 'No source was asked', hint: 'The price is fixed, or PRICE_SOURCES names no source.' }}
      />
    </Panel>
  );
}

function QuoteState({ price }: { readonly price: Price }) {
  if (!price.is_quotable) return <StatusBadge word="No" tone="bad" />;
  return price.is_off_peg ? (
    <StatusBadge word="Yes, off its peg" tone="warning" />
  ) : (
    <StatusBadge word="Yes" tone="good" />
  );
}

const COLUMNS: readonly Column<Source & { readonly id: string }>[] = [
  { key: 'source', header: 'Source', cell: ({ source }) => source },
  {
    key: 'part',
    header: 'Used',
    cell: ({ used, reason }) =>
      used ? (
        <StatusBadge word="Used" tone="good" />
      ) : (
        <StatusBadge word={reason === null ? 'Not used' : reason.replaceAll('_', ' ')} tone="neutral" />
      ),
  },
  {
    key: 'value',
    header: 'Price',
    align: 'right',
    cell: ({ value }) => (value === null ? '–' : priceText(value, 'USD')),
  },
  {
    key: 'deviation',
    header: 'Deviation from median',
    align: 'right',
    cell: ({ deviation_bps: bps }) => (bps === null ? '–' : `${(bps / 100).toFixed(2)} %`),
  },
  {
    key: 'observed',
    header: 'Observed',
    cell: ({ observed_at: at }) => (at === null ? 'never' : <Time at={at} />),
  },
];
