import { Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { shortHash } from '../../ui/short.ts';
import { Time } from '../../ui/time.tsx';

type Withdrawal = components['schemas']['StaffWithdrawalDetail'];
type Progress = Pick<Withdrawal, 'simulation' | 'transaction' | 'attempts'>;
type Attempt = Progress['attempts'][number];
type Decision = Withdrawal['decisions'][number];

const OUTCOME: Readonly<Record<string, string>> = {
  accepts: 'Accepted',
  rejects: 'Refused',
  needs_gas: 'Refused for its need of gas',
  unconfirmed: 'Refused, not confirmed by another node,',
};

/** The way of a payment to the chain: its screening, and its transaction with every signed version. */
export function TransactionPanel({ progress }: { readonly progress: Progress }) {
  const { simulation, transaction, attempts } = progress;
  if (simulation === null && transaction === null) {
    return (
      <Panel title="Transaction">
        <Text>Nothing is simulated or signed yet.</Text>
      </Panel>
    );
  }
  return (
    <Panel title="Transaction">
      <Facts
        facts={[
          {
            label: 'Simulated',
            value: simulation && (
              <>
                {OUTCOME[simulation.outcome] ?? simulation.outcome} by {simulation.nodes}{' '}
                {simulation.nodes === 1 ? 'node' : 'nodes'}, <Time at={simulation.at} />
              </>
            ),
          },
          { label: 'Signed', value: transaction && <Time at={transaction.signed_at} /> },
          {
            label: 'Sent',
            value: transaction?.broadcast_at && <Time at={transaction.broadcast_at} />,
          },
          {
            label: 'Waits for a higher fee since',
            isRare: true,
            value: transaction?.replace_wanted_at && <Time at={transaction.replace_wanted_at} />,
          },
          { label: 'In block', value: transaction?.mined_height },
          { label: 'Sender', value: transaction && <Copy value={transaction.sender} label="sender" />, isWide: true },
          { label: 'Nonce', value: transaction?.nonce },
        ]}
      />
      {attempts.length > 0 && (
        <DataTable<Attempt & { id: string }>
          label="Signed versions of the transaction"
          rows={attempts.map((attempt) => ({ ...attempt, id: String(attempt.number) }))}
          empty={{ title: 'Nothing is signed yet', hint: '' }}
          columns={[
            { key: 'number', header: 'Attempt', cell: ({ number }) => number },
            {
              key: 'hash',
              header: 'Hash',
              cell: ({ tx_hash: hash }) => <Copy value={hash} label="transaction hash" shown={shortHash(hash)} />,
            },
            { key: 'signed', header: 'Signed', cell: ({ signed_at: at }) => <Time at={at} /> },
          ]}
        />
      )}
    </Panel>
  );
}

/** What the vault and staff decided about something. */
export function DecisionsPanel({ decisions }: { readonly decisions: readonly Decision[] }) {
  return (
    <Panel title="Decisions">
      <DataTable<Decision & { id: string }>
        label="Decisions"
        rows={decisions.map((decision, place) => ({ ...decision, id: String(place) }))}
        empty={{ title: 'No decisions yet', hint: 'Decisions of the vault and of staff appear here.' }}
        columns={[
          { key: 'at', header: 'When', cell: ({ at }) => <Time at={at} /> },
          { key: 'who', header: 'Who', cell: ({ who }) => who },
          { key: 'what', header: 'What', cell: ({ what }) => what },
          { key: 'reason', header: 'Reason', cell: (decision) => <Reason {...decision} /> },
        ]}
      />
    </Panel>
  );
}

/** Why, in the words of a colleague or of the vault; for a signature the hash of what was signed. */
function Reason({ who, what, reason }: Decision) {
  if (reason === null) return '–';
  const isHash = who === 'vault' && what.startsWith('Signed');
  return isHash ? <Copy value={reason} label="transaction hash" shown={shortHash(reason)} /> : <>{reason}</>;
}
