import { Stack } from '@mantine/core';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { DataTable, EmptyState } from '../../ui/data-table.tsx';
import { byNetwork } from '../../ui/networks.ts';
import { wholeText } from '../../ui/numbers.ts';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { NetworkPanel, NetworkStatus } from './network-panel.tsx';
import { StatePage } from './state-page.tsx';

type Network = components['schemas']['NetworkState'];

/** The listeners of the networks: how far each has read, and through which nodes. */
export function NetworksPage() {
  return (
    <StatePage
      title="Networks"
      summary="How far each chain is read, and how its nodes do. As recorded: this page asks no node."
      topic="networks"
      name="networks"
      load={({ params, signal, headers }) =>
        answerOf(api.GET('/admin/api/{environment}/networks', { params, signal, headers }))
      }
    >
      {({ data: found }) => {
        const data = byNetwork(found);
        return data.length === 0 ? (
          <EmptyState
            title="No network is registered"
            hint="A process with the role listener registers each network that has RPC URLs."
          />
        ) : (
          <Stack gap="md">
            <DataTable
              label="Networks"
              columns={COLUMNS}
              rows={data}
              empty={{ title: 'No network is registered', hint: '' }}
            />
            {data.map((network) => (
              <NetworkPanel key={network.id} network={network} />
            ))}
          </Stack>
        );
      }}
    </StatePage>
  );
}

const COLUMNS: readonly Column<Network>[] = [
  { key: 'network', header: 'Network', cell: ({ network }) => network },
  { key: 'status', header: 'Status', cell: (row) => <NetworkStatus network={row} /> },
  { key: 'head', header: 'Head', align: 'right', cell: ({ head_height: height }) => wholeText(height) },
  { key: 'read', header: 'Read to', align: 'right', cell: ({ height }) => wholeText(height) },
  {
    key: 'lag',
    header: 'Lag',
    align: 'right',
    cell: ({ lag_blocks: lag, lag_seconds: seconds }) =>
      `${wholeText(lag)} blocks, ${wholeText(Math.round(seconds))} s`,
  },
  { key: 'final', header: 'Final', align: 'right', cell: ({ finalized_height: height }) => wholeText(height) },
  {
    key: 'nodes',
    header: 'Nodes up',
    align: 'right',
    cell: ({ nodes }) => `${nodes.filter(({ state }) => state === 'up').length} of ${nodes.length}`,
  },
  {
    key: 'reorg',
    header: 'Last reorg',
    cell: ({ last_reorg: reorg }) => (reorg === null ? 'none' : <Time at={reorg.at} />),
    isMinor: true,
  },
];
