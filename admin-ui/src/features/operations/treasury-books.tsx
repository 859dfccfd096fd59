import { Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { byNetwork } from '../../ui/networks.ts';
import { Panel } from '../../ui/panel.tsx';
import { shortId } from '../../ui/short.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';

type Comparison = components['schemas']['WalletComparison'];
type WriteOff = components['schemas']['StaffWriteOff'];

/** Every token of a hot wallet against the books: what is missing, and what to do about it. */
export function ComparisonsPanel({ comparisons }: { readonly comparisons: readonly Comparison[] }) {
  const missing = comparisons.filter(({ commands }) => commands.length > 0);
  return (
    <Panel title="Wallets against the books">
      <DataTable
        label="Hot wallets against the books"
        columns={COMPARISONS}
        rows={byNetwork(comparisons)}
        empty={{ title: 'Nothing was compared yet', hint: 'Each new final block is compared within seconds.' }}
      />
      {missing.map(({ id, token, network, missing: gap, commands }) => (
        <div key={id}>
          <Text fw={600}>
            {gap.decimal} {token} are missing on {network}
          </Text>
          <Text size="sm">
            Look for transactions that the books do not have, stop payouts while you look, and write off only what is
            gone for good.
          </Text>
          <Commands commands={commands} />
        </div>
      ))}
    </Panel>
  );
}

/** Missing funds that were booked out. */
export function WriteOffsPanel({ writeOffs }: { readonly writeOffs: readonly WriteOff[] }) {
  if (writeOffs.length === 0) return null;
  return (
    <Panel title="Written off">
      <DataTable
        label="Written off"
        columns={WRITE_OFFS}
        rows={writeOffs}
        empty={{ title: 'Nothing was written off', hint: '' }}
      />
    </Panel>
  );
}

const COMPARISONS: readonly Column<Comparison>[] = [
  { key: 'wallet', header: 'Wallet', cell: ({ network, token }) => `${token} on ${network}` },
  { key: 'state', header: 'Status', cell: (row) => <ComparisonState comparison={row} /> },
  { key: 'chain', header: 'On chain', align: 'right', cell: ({ on_chain: amount }) => amount.decimal },
  { key: 'books', header: 'In the books', align: 'right', cell: ({ in_books: amount }) => amount?.decimal ?? '–' },
  { key: 'missing', header: 'Missing', align: 'right', cell: ({ missing }) => missing.decimal },
  {
    key: 'compared',
    header: 'Compared',
    cell: ({ compared_at: at }) => (at === null ? 'never' : <Time at={at} />),
    isMinor: true,
  },
];

function ComparisonState({ comparison }: { readonly comparison: Comparison }) {
  if (comparison.compared_at === null) return <StatusBadge word="Not compared" tone="neutral" />;
  return comparison.commands.length > 0 ? (
    <StatusBadge word="Missing" tone="bad" />
  ) : (
    <StatusBadge word="Matches" tone="good" />
  );
}

const WRITE_OFFS: readonly Column<WriteOff>[] = [
  { key: 'id', header: 'Id', cell: ({ id }) => <Copy value={id} label="id" shown={shortId(id)} /> },
  { key: 'amount', header: 'Amount', align: 'right', cell: ({ amount, token }) => `${amount.decimal} ${token}` },
  { key: 'network', header: 'Network', cell: ({ network }) => network },
  { key: 'booked', header: 'Booked', cell: ({ booked_at: at }) => <Time at={at} /> },
];
