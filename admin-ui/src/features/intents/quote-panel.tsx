import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { priceText } from '../../ui/money.ts';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import type { Quote } from './intent-object.ts';

type Source = Quote['sources'][number];

/** The locked price, and what each source said when it was locked. */
export function QuotePanel({ quote }: { readonly quote: Quote }) {
  return (
    <Panel title="Locked price">
      <Facts
        facts={[
          { label: 'Price', value: `${priceText(quote.price, quote.currency)} for 1 ${quote.token}` },
          { label: 'Amount', value: `${quote.crypto_amount_decimal} ${quote.token}` },
          { label: 'Priced', value: <Time at={quote.priced_at} /> },
          { label: 'Rule', value: quote.verdict.rule },
        ]}
      />
      <DataTable
        label="Price sources"
        rows={quote.sources.map((source) => ({ ...source, id: source.source }))}
        empty={{ title: 'No source was asked', hint: 'The price is fixed in this sandbox.' }}
        columns={[
          { key: 'source', header: 'Source', cell: ({ source }: Source) => source },
          {
            key: 'value',
            header: 'Price',
            align: 'right',
            cell: ({ value }: Source) => (value === null ? '–' : priceText(value, quote.currency)),
          },
          {
            key: 'used',
            header: 'Used',
            cell: ({ used, reason }: Source) =>
              used ? 'Yes' : `No: ${(reason ?? 'reason unknown').replaceAll('_', ' ')}`,
          },
          {
            key: 'deviation',
            header: 'Deviation',
            align: 'right',
            cell: ({ deviation_bps: bps }: Source) => (bps === null ? '–' : `${bps} bps`),
          },
        ]}
      />
    </Panel>
  );
}
