import { Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { shortHash, shortId } from '../../ui/short.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';

type TopUp = components['schemas']['StaffTopUp'];
type Sweep = components['schemas']['StaffSweep'];
type Balance = components['schemas']['SetAsideBalance'];
type Stake = components['schemas']['StaffStakeOrder'];

/** Funds that reached a hot wallet by other means than a sweep. */
export function TopUpsPanel({ topUps }: { readonly topUps: readonly TopUp[] }) {
  return (
    <Panel title="Top-ups">
      <DataTable
        label="Top-ups"
        columns={TOP_UPS}
        rows={topUps}
        empty={{
          title: 'No top-up yet',
          hint: 'Send coins to the address of a hot wallet: they are booked once they are final.',
        }}
      />
    </Panel>
  );
}

/** Payments of merchants on their way to the hot wallets. */
export function SweepsPanel({ sweeps }: { readonly sweeps: readonly Sweep[] }) {
  return (
    <Panel title="Sweeps under way">
      <DataTable
        label="Sweeps"
        columns={SWEEPS}
        rows={sweeps}
        empty={{ title: 'No sweep is open', hint: 'Deposits are swept once they are worth the fee.' }}
      />
    </Panel>
  );
}

/** Balances that could not be swept. */
export function SetAsidePanel({ balances }: { readonly balances: readonly Balance[] }) {
  if (balances.length === 0) return null;
  const commands = balances.flatMap(({ command }) => command ?? []);
  return (
    <Panel title="Set aside: not swept for now">
      <DataTable label="Set aside" columns={ASIDE} rows={balances} empty={{ title: 'None', hint: '' }} />
      {commands.length > 0 && <Commands commands={commands} />}
    </Panel>
  );
}

/** What was ordered of the stake of TRX. How much is staked only the chain knows. */
export function StakesPanel({
  stakes,
  commands,
}: {
  readonly stakes: readonly Stake[];
  readonly commands: readonly string[];
}) {
  return (
    <Panel title="Stakes of TRX">
      <DataTable
        label="Orders of stakes"
        columns={STAKES}
        rows={stakes}
        empty={{ title: 'No stakes ordered yet', hint: 'Without a stake, sweeps burn TRX for their energy.' }}
      />
      <Text size="sm">Only the chain has the amounts that are staked, lent and due. The first command reads them.</Text>
      <Commands commands={commands} />
    </Panel>
  );
}

const TOP_UPS: readonly Column<TopUp>[] = [
  { key: 'id', header: 'Id', cell: ({ id }) => <Copy value={id} label="id" shown={shortId(id)} /> },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount_decimal: amount, token }) => `${amount} ${token}`,
  },
  { key: 'network', header: 'Network', cell: ({ network }) => network },
  { key: 'found', header: 'Found', cell: ({ found_at: at }) => <Time at={at} /> },
];

const SWEEPS: readonly Column<Sweep>[] = [
  { key: 'id', header: 'Id', cell: ({ id }) => <Copy value={id} label="id" shown={shortId(id)} /> },
  { key: 'network', header: 'Network', cell: ({ network }) => network },
  { key: 'items', header: 'Balances', align: 'right', cell: ({ items }) => items },
  { key: 'standing', header: 'Progress', cell: ({ standing }) => standing },
  {
    key: 'age',
    header: 'Age',
    align: 'right',
    cell: ({ age_seconds: age }) => `${wholeText(age)} s`,
    isMinor: true,
  },
];

const ASIDE: readonly Column<Balance>[] = [
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount_decimal: amount, token }) => `${amount} ${token}`,
  },
  { key: 'network', header: 'Network', cell: ({ network }) => network },
  {
    key: 'address',
    header: 'Address',
    cell: ({ address }) => <Copy value={address} label="address" shown={shortHash(address)} />,
  },
  { key: 'reason', header: 'Why', cell: ({ reason }) => <ForeignText value={reason} max={120} /> },
];

const MOVE: Readonly<Record<Stake['move'], string>> = {
  stake: 'Stake',
  unstake: 'Unstake',
  withdraw: 'Withdraw unstaked TRX',
};

const STAKES: readonly Column<Stake>[] = [
  { key: 'id', header: 'Id', cell: ({ id }) => <Copy value={id} label="id" shown={shortId(id)} /> },
  { key: 'move', header: 'Order', cell: ({ move }) => MOVE[move] },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ move, amount }) => (move === 'withdraw' ? 'all' : `${amount.decimal} TRX`),
  },
  { key: 'state', header: 'Status', cell: (row) => <StakeState stake={row} /> },
  { key: 'standing', header: 'Progress', cell: ({ standing }) => standing },
  { key: 'created', header: 'Ordered', cell: ({ created_at: at }) => <Time at={at} />, isMinor: true },
];

function StakeState({ stake: { succeeded } }: { readonly stake: Stake }) {
  if (succeeded === null) return <StatusBadge word="Open" tone="busy" />;
  return succeeded ? <StatusBadge word="Done" tone="good" /> : <StatusBadge word="Failed" tone="bad" />;
}
