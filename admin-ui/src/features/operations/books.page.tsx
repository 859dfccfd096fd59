import { Stack, Text } from '@mantine/core';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { EmptyState } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { StatePage } from './state-page.tsx';

type Books = components['schemas']['Books'];
type Audit = components['schemas']['BooksAudit'];

const SCOPE = { everything: 'All books', new_entries: 'New entries' } as const;
const OFTEN = { everything: 'once a day', new_entries: 'every minute' } as const;

/** Whether the books hold, by the audits that the service makes itself. */
export function BooksPage() {
  return (
    <StatePage
      title="Books"
      summary="The last audits of the books, with their findings in this environment. A finding freezes the hot wallets that it concerns."
      topic="books"
      name="books"
      load={({ params, signal, headers }) =>
        answerOf(api.GET('/admin/api/{environment}/books', { params, signal, headers }))
      }
    >
      {(books) => (
        <Stack gap="md">
          {books.audits.length === 0 && (
            <EmptyState title="No audit has run yet" hint="The leading worker audits the books in its first minute." />
          )}
          {books.audits.map((audit) => (
            <AuditPanel key={audit.scope} audit={audit} />
          ))}
          <HeadsPanel books={books} />
        </Stack>
      )}
    </StatePage>
  );
}

function AuditPanel({ audit }: { readonly audit: Audit }) {
  const { broken_rules: broken } = audit;
  return (
    <Panel title={SCOPE[audit.scope]}>
      <Facts
        facts={[
          {
            label: 'Result',
            value:
              broken.length === 0 ? (
                <StatusBadge word="All rules hold" tone="good" />
              ) : (
                <StatusBadge
                  word={broken.length === 1 ? '1 rule is broken' : `${broken.length} rules are broken`}
                  tone="bad"
                />
              ),
          },
          { label: 'Audited', value: <Time at={audit.finished_at} /> },
          { label: 'Runs', value: OFTEN[audit.scope] },
          { label: 'Ledger entries with intact seals', value: wholeText(audit.sealed_to) },
          { label: 'Audit log entries with intact seals', value: wholeText(audit.audit_sealed_to) },
        ]}
      />
      {broken.map(({ name, rule, rows, has_unnamed_rows: hasUnnamed }) => (
        <div key={name}>
          <Text fw={600}>{rule ?? name}</Text>
          <Text size="sm">{brokenText(rows.length, hasUnnamed)}</Text>
          <ul>
            {rows.map((row) => (
              <li key={row}>{row}</li>
            ))}
          </ul>
        </div>
      ))}
      {broken.length > 0 && (
        <Text size="sm">
          Do not change rows by hand. Verify all books by the command below, find out what wrote these rows, and
          unfreeze the wallets once you know.
        </Text>
      )}
    </Panel>
  );
}

function brokenText(count: number, hasUnnamed: boolean): string {
  const here = count === 1 ? '1 row breaks this rule.' : `${count} rows break this rule.`;
  if (!hasUnnamed) return here;
  const more = 'rows that are not named break it, in this environment or in the other.';
  return count === 0 ? `Only ${more}` : `${here} More ${more}`;
}

function HeadsPanel({ books }: { readonly books: Books }) {
  return (
    <Panel title="Hash chains">
      <Text size="sm">
        A hash chain seals every ledger entry and every action of staff. Store the heads on another machine. If somebody
        rewrites sealed entries, the heads no longer match.
      </Text>
      <Facts
        facts={[
          { label: 'Entries', value: <Head head={books.entries_head} label="head of the entries" /> },
          { label: 'Audit log', value: <Head head={books.audit_log_head} label="head of the audit log" /> },
        ]}
      />
      <Commands commands={books.commands} />
    </Panel>
  );
}

function Head({ head, label }: { readonly head: Books['entries_head']; readonly label: string }) {
  if (head === null) return <>empty</>;
  const { sequence, hash, waiting } = head;
  return (
    <>
      <Copy value={`${sequence}:${hash}`} label={label} shown={`${sequence}:${hash.slice(0, 12)}…`} />
      {waiting > 0 && `, ${wholeText(waiting)} not sealed yet`}
    </>
  );
}
