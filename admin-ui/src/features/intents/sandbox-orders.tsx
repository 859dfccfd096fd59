import { Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { shortHash } from '../../ui/short.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';

type Order = components['schemas']['SandboxOrder'];

const SHOWN: Readonly<Record<Order['status'], readonly [word: string, tone: Tone]>> = {
  queued: ['Waits to be sent', 'busy'],
  signed: ['Being sent', 'busy'],
  sent: ['On the chain', 'busy'],
  final: ['Final', 'good'],
  failed: ['Failed', 'bad'],
};

/** The payments that were ordered in the sandbox, here or with `coffer pay`. */
export function SandboxOrders({ orders }: { readonly orders: readonly Order[] }) {
  if (orders.length === 0) return <Text size="sm">No payment was ordered here yet.</Text>;
  return (
    <DataTable<Order>
      label="Ordered payments"
      rows={orders}
      empty={{ title: 'No payment was ordered here yet', hint: '' }}
      columns={[
        {
          key: 'amount',
          header: 'Amount',
          align: 'right',
          cell: ({ amount_decimal: amount, token }) => `${amount} ${token}`,
        },
        {
          key: 'status',
          header: 'Status',
          cell: ({ status, failure }) => (
            <>
              <StatusBadge word={SHOWN[status][0]} tone={SHOWN[status][1]} />
              {failure !== null && (
                <Text size="sm" component="span">
                  {' '}
                  {failure}
                </Text>
              )}
            </>
          ),
        },
        {
          key: 'transaction',
          header: 'Transaction',
          cell: ({ transaction_hash: hash }) =>
            hash === null ? '–' : <Copy value={hash} label="transaction hash" shown={shortHash(hash)} />,
        },
        { key: 'ordered', header: 'Ordered', cell: ({ created_at: at }) => <Time at={at} /> },
      ]}
    />
  );
}
