import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.d.ts';
import { Copy } from '../../ui/copy.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { shortId } from '../../ui/short.ts';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';

type Entry = components['schemas']['AuditEntry'];
type State = Entry['before'];

/** The columns of the audit log. */
export const AUDIT_COLUMNS: readonly Column<Entry>[] = [
  { key: 'at', header: 'When', cell: ({ created_at: at }) => <Time at={at} /> },
  {
    key: 'who',
    header: 'Who',
    cell: ({ actor, role, environment }) => (
      <Lines first={<ForeignText value={actor} max={80} isWord />}>
        {role === null ? 'Outside of an environment' : `${role} in ${environment}`}
      </Lines>
    ),
  },
  {
    key: 'what',
    header: 'What',
    cell: ({ action, action_text: text, subject, reason }) => (
      <Lines first={text}>
        {action}
        <br />
        <ForeignText value={subject} max={60} isWord />
        {reason !== null && (
          <>
            <br />“<ForeignText value={reason} max={120} />”
          </>
        )}
      </Lines>
    ),
  },
  { key: 'change', header: 'Before and after', cell: (entry) => <Changes entry={entry} /> },
  {
    key: 'from',
    header: 'Client address',
    cell: ({ address, request_id: requestId }) =>
      address === null ? (
        'Command line'
      ) : (
        <Lines first={address}>
          {requestId !== null && <Copy value={requestId} label="request id" shown={shortId(requestId)} />}
        </Lines>
      ),
  },
];

function Lines({ first, children }: { readonly first: ReactNode; readonly children: ReactNode }) {
  return (
    <Stack gap={2}>
      <span>{first}</span>
      <Text size="xs" c="dimmed" component="span">
        {children}
      </Text>
    </Stack>
  );
}

/** Each changed field, such as `enabled: true → false`, and what else the entry says. */
function Changes({ entry: { before, after, details } }: { readonly entry: Entry }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => before?.[field] !== after?.[field],
  );
  const changes = fields.map((field) => `${field}: ${valueIn(before, field)} → ${valueIn(after, field)}`);
  const others = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  const lines = [...changes, ...others];
  if (lines.length === 0) return '–';
  return (
    <Text size="xs" component="span">
      {lines.map((line) => (
        <span key={line} style={{ display: 'block', overflowWrap: 'anywhere' }}>
          <ForeignText value={line} max={160} />
        </span>
      ))}
    </Text>
  );
}

const valueIn = (state: State, field: string): string =>
  state === null || !(field in state) ? '–' : String(state[field] ?? 'none');
