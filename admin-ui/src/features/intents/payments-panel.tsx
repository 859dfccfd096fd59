import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { shortHash } from '../../ui/short.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { statusText } from '../../ui/status-words.ts';
import { Time } from '../../ui/time.tsx';
import { ExplorerLink } from './intent-facts.tsx';
import { explorerUrl, type IntentDetail } from './intent-object.ts';

type Payment = IntentDetail['payments'][number];

const TONE: Readonly<Record<Payment['status'], Tone>> = {
  pending: 'busy',
  confirmed: 'good',
  orphaned: 'bad',
  on_hold: 'paused',
  kept: 'paused',
};

/** The transfers to the address of an intent. */
export function PaymentsPanel({ intent }: { readonly intent: IntentDetail }) {
  const { explorer, token } = intent;
  return (
    <Panel title="Payments">
      <DataTable<Payment>
        label="Payments"
        rows={intent.payments}
        empty={{ title: 'No payment has been seen', hint: 'A transfer appears within seconds of its block.' }}
        columns={[
          {
            key: 'transaction',
            header: 'Transaction',
            cell: ({ tx_hash: hash }) => (
              <TransactionOf hash={hash} url={hash === null ? null : explorerUrl(explorer, 'transaction', hash)} />
            ),
          },
          {
            key: 'amount',
            header: 'Amount',
            align: 'right',
            cell: ({ amount_decimal: amount }) => `${amount} ${token}`,
          },
          {
            key: 'status',
            header: 'Status',
            cell: ({ status, late }) => (
              <StatusBadge
                word={late ? `${statusText(status)}, late` : statusText(status)}
                tone={late ? 'warning' : TONE[status]}
              />
            ),
          },
          {
            key: 'confirmations',
            header: 'Confirmations',
            cell: ({ confirmations, required_confirmations: required }) =>
              `${Math.min(confirmations, required)} of ${required}`,
          },
          { key: 'block', header: 'Block', align: 'right', cell: ({ block_number: block }) => block, isMinor: true },
          {
            key: 'from',
            header: 'From',
            cell: ({ from_address: from }) =>
              from === null ? '–' : <Copy value={from} label="sender" shown={shortHash(from)} />,
          },
          { key: 'seen', header: 'Seen', cell: ({ seen_at: at }) => <Time at={at} /> },
        ]}
      />
    </Panel>
  );
}

function TransactionOf({ hash, url }: { readonly hash: string | null; readonly url: string | null }) {
  if (hash === null) return 'inside of a contract';
  return (
    <>
      <Copy value={hash} label="transaction hash" shown={shortHash(hash)} />
      {url !== null && <ExplorerLink href={url} />}
    </>
  );
}
