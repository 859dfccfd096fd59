import { Alert } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';

type Wallet = components['schemas']['StaffHotWallet'];
type Holding = components['schemas']['WalletHolding'];

/** One hot wallet: what it holds, and whether it can pay. */
export function WalletPanel({ wallet }: { readonly wallet: Wallet }) {
  const { gas_payments: payments, gas_payments_is_more: isMore } = wallet;
  return (
    <Panel title={`Hot wallet of ${wallet.network}`}>
      {wallet.frozen_reason !== null && (
        <Alert color="red" variant="light" title="Frozen: it signs nothing">
          <ForeignText value={wallet.frozen_reason} />
        </Alert>
      )}
      <Facts
        facts={[
          { label: 'Status', value: <WalletState wallet={wallet} /> },
          { label: 'Address, to top it up', value: <Copy value={wallet.address} label="address" />, isWide: true },
          {
            label: 'Fees covered for',
            value:
              payments === null ? 'not known yet' : `${isMore ? 'at least ' : ''}${wholeText(payments)} token payments`,
          },
        ]}
      />
      <DataTable
        label={`Balances of the hot wallet of ${wallet.network}`}
        columns={COLUMNS}
        rows={wallet.holdings.map((held) => ({ ...held, id: held.token }))}
        empty={{ title: 'No token is on offer', hint: 'The wallet of a network holds the tokens that it offers.' }}
      />
      {wallet.commands.length > 0 && <Commands commands={wallet.commands} />}
    </Panel>
  );
}

function WalletState({ wallet }: { readonly wallet: Wallet }) {
  if (wallet.frozen_reason !== null) return <StatusBadge word="Frozen" tone="bad" />;
  return wallet.is_low_on_gas ? (
    <StatusBadge word="Low on coins for fees" tone="warning" />
  ) : (
    <StatusBadge word="In use" tone="good" />
  );
}

const COLUMNS: readonly Column<Holding & { readonly id: string }>[] = [
  { key: 'token', header: 'Token', cell: ({ token }) => token },
  { key: 'amount', header: 'Holds', align: 'right', cell: ({ amount }) => amount?.decimal ?? 'not read yet' },
  { key: 'spendable', header: 'Available', align: 'right', cell: ({ spendable }) => spendable?.decimal ?? '–' },
  { key: 'coming', header: 'Incoming by sweeps', align: 'right', cell: ({ coming }) => coming.decimal },
];
