import { Alert, Button, Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { shortHash } from '../../ui/short.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useDialog } from '../../ui/use-dialog.ts';
import { ListenerDialog } from './listener-dialog.tsx';

type Network = components['schemas']['NetworkState'];
type Node = components['schemas']['NetworkNode'];

const STATUS: Readonly<Record<Network['status'], { readonly word: string; readonly tone: Tone }>> = {
  ok: { word: 'In sync', tone: 'good' },
  degraded: { word: 'Degraded', tone: 'warning' },
  disabled: { word: 'Disabled', tone: 'bad' },
};

/** Whether payments on a network are seen now. */
export function NetworkStatus({ network }: { readonly network: Network }) {
  if (network.paused !== null) return <StatusBadge word="Paused" tone="paused" />;
  if (network.halted_reason !== null) return <StatusBadge word="Halted" tone="bad" />;
  return <StatusBadge {...STATUS[network.status]} />;
}

/** One network: its listener, its nodes, and what can be done. */
export function NetworkPanel({ network }: { readonly network: Network }) {
  const environment = useEnvironment();
  const session = useSession();
  const verb = network.paused === null ? 'pause' : 'resume';
  const dialog = useDialog(`${verb}-${network.network}`);
  const { last_reorg: reorg } = network;
  return (
    <Panel
      title={network.network}
      actions={
        may(session, environment, `networks.${verb}`) && (
          <Button size="xs" variant="default" onClick={dialog.open} aria-label={`${LABEL[verb]} ${network.network}`}>
            {LABEL[verb]}
          </Button>
        )
      }
    >
      <Trouble network={network} />
      <Facts
        facts={[
          { label: 'Status', value: <NetworkStatus network={network} /> },
          { label: 'Read to', value: `block ${wholeText(network.height)}` },
          { label: 'Time of that block', value: <Time at={network.block_time} /> },
          { label: 'Last in sync with the head', value: <Time at={network.synced_at} /> },
          {
            label: 'Final',
            value: `block ${wholeText(network.finalized_height)}, usually ${network.confirmations} below`,
          },
          {
            label: 'Last reorg',
            value:
              reorg === null ? (
                'none recorded'
              ) : (
                <>
                  <Time at={reorg.at} />, from block {wholeText(reorg.from_height)} back to {wholeText(reorg.to_height)}
                </>
              ),
          },
          {
            label: 'Cursor',
            value: <Copy value={network.hash} label="hash of the cursor" shown={shortHash(network.hash)} />,
          },
          { label: 'Chain', value: <Copy value={network.id} label="chain" />, isWide: true },
        ]}
      />
      <DataTable
        label={`Nodes of ${network.network}`}
        columns={NODE_COLUMNS}
        rows={network.nodes.map((node) => ({ ...node, id: node.node }))}
        empty={{
          title: 'No node was reported yet',
          hint: 'The process that reads this chain reports its nodes every 10 s.',
        }}
      />
      <details>
        <summary>Ask the nodes, or set the cursor back</summary>
        <Text size="sm">
          The cursor is set back by hand, after a fork that was checked with nodes of other operators. Nothing is booked
          twice.
        </Text>
        <Commands commands={network.commands} />
      </details>
      <ListenerDialog verb={verb} network={network.network} />
    </Panel>
  );
}

const LABEL = { pause: 'Pause', resume: 'Resume' } as const;

/** What is wrong, and who knows more. */
function Trouble({ network }: { readonly network: Network }) {
  const { paused } = network;
  return (
    <>
      {paused !== null && (
        <Alert color="yellow" variant="light" title="Paused">
          <Time at={paused.at} /> by <ForeignText value={paused.by} />: <ForeignText value={paused.reason} />
        </Alert>
      )}
      {network.halted_reason !== null && (
        <Alert color="red" variant="light" title="Halted">
          {network.halted_reason}
        </Alert>
      )}
      {network.finality_doubt !== null && (
        <Alert color="red" variant="light" title="Nothing becomes final">
          {network.finality_doubt}
        </Alert>
      )}
      {network.reason !== null && paused === null && network.halted_reason === null && (
        <Alert color="yellow" variant="light" title={STATUS[network.status].word}>
          {network.reason}
        </Alert>
      )}
      {!network.is_listening && (
        <Alert color="red" variant="light" title="No process reads this chain">
          Start a process with the role listener. If one runs, its log says why it does not read this chain.
        </Alert>
      )}
    </>
  );
}

const NODE_STATE: Readonly<Record<Node['state'], { readonly word: string; readonly tone: Tone }>> = {
  up: { word: 'Up', tone: 'good' },
  down: { word: 'Down', tone: 'bad' },
  foreign: { word: 'Another chain', tone: 'bad' },
};

const NODE_COLUMNS: readonly Column<Node & { readonly id: string }>[] = [
  { key: 'node', header: 'Node', cell: ({ node }) => node },
  { key: 'state', header: 'Status', cell: ({ state }) => <StatusBadge {...NODE_STATE[state]} /> },
  {
    key: 'latency',
    header: 'Latency',
    align: 'right',
    cell: ({ latency_ms: latency }) => (latency === null ? '–' : `${wholeText(latency)} ms`),
  },
  {
    key: 'failures',
    header: 'Failed of its last steps',
    align: 'right',
    cell: ({ recent_failures: failures, recent_steps: steps }) =>
      steps === 0 ? '–' : `${failures} of ${steps} (${Math.round((failures / steps) * 100)} %)`,
  },
  {
    key: 'error',
    header: 'Last error',
    cell: ({ last_error: error }) => (error === null ? 'none' : <ForeignText value={error} max={120} />),
  },
  { key: 'reported', header: 'Reported', cell: ({ reported_at: at }) => <Time at={at} />, isMinor: true },
];
