import { Alert, Stack } from '@mantine/core';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Commands } from '../../ui/commands.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { StatePage } from './state-page.tsx';

type Pool = components['schemas']['AddressPool'];

/** Addresses that were derived ahead, and how long they last. */
export function WalletPoolPage() {
  return (
    <StatePage
      title="Address pool"
      summary="Addresses that the vault derived ahead. Each is given to one payment intent, permanently."
      topic="wallet_pool"
      name="wallet-pool"
      load={({ params, signal, headers }) =>
        answerOf(api.GET('/admin/api/{environment}/wallet-pool', { params, signal, headers }))
      }
    >
      {({ pools, vault, commands }) => (
        <Stack gap="md">
          {vault === 'sealed' && (
            <Alert color="yellow" variant="light" title="No open vault">
              No address is derived until a process with the role vault runs with its passphrase.
            </Alert>
          )}
          <DataTable
            label="Address pools"
            columns={COLUMNS}
            rows={pools}
            empty={{
              title: 'No address was derived yet',
              hint: 'A process with the role vault fills the pool of each address family by itself.',
            }}
          />
          <Panel title="Refill">
            <p>
              The vault fills a pool up to its target (WALLET_POOL_TARGET) when less than its low-water mark is free.
              Nothing else can add addresses.
            </p>
            <Commands commands={commands} />
          </Panel>
        </Stack>
      )}
    </StatePage>
  );
}

/** Networks of a family share their addresses. */
const familyText = ({ id, networks }: Pool): string =>
  networks.length > 1 ? `${id.toUpperCase()}: ${networks.join(', ')}` : networks.join(', ');

const COLUMNS: readonly Column<Pool>[] = [
  { key: 'family', header: 'Address family', cell: familyText },
  { key: 'state', header: 'Status', cell: (row) => <PoolState pool={row} /> },
  { key: 'free', header: 'Free', align: 'right', cell: ({ free }) => wholeText(free) },
  { key: 'mark', header: 'Low-water mark', align: 'right', cell: ({ low_mark: mark }) => wholeText(mark) },
  { key: 'target', header: 'Target', align: 'right', cell: ({ target }) => wholeText(target) },
  { key: 'lasts', header: 'Lasts without a vault', cell: (row) => lasts(row) },
  { key: 'assigned', header: 'Assigned', align: 'right', cell: ({ assigned }) => wholeText(assigned) },
  { key: 'week', header: 'In 7 days', align: 'right', cell: ({ assigned_in_7_days: week }) => wholeText(week) },
  { key: 'paid', header: 'Used', align: 'right', cell: ({ paid }) => wholeText(paid) },
  { key: 'retired', header: 'Retired', align: 'right', cell: ({ retired }) => wholeText(retired), isMinor: true },
];

function PoolState({ pool: { free, low_mark: mark } }: { readonly pool: Pool }) {
  if (free === 0) return <StatusBadge word="Empty" tone="bad" />;
  return free < mark ? <StatusBadge word="Below the mark" tone="warning" /> : <StatusBadge word="Filled" tone="good" />;
}

function lasts({ days_left: days }: Pool): string {
  if (days === null) return 'none was assigned in 7 days';
  return days < 2 ? `${Math.round(days * 24)} hours` : `${wholeText(Math.round(days))} days`;
}
