import { Alert, Stack } from '@mantine/core';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { amountText } from '../../ui/money.ts';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { shortHash } from '../../ui/short.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { StatePage } from './state-page.tsx';

type Sanctions = components['schemas']['Sanctions'];
type Import = components['schemas']['SanctionsImport'];
type Refusal = components['schemas']['SanctionedDeposit'];

/** The list by which addresses are screened, and the payments that it stopped. */
export function SanctionsPage() {
  const environment = useEnvironment();
  return (
    <StatePage
      title="Sanctions"
      summary="Withdrawals to listed addresses are refused. Payments from listed senders are put on hold."
      topic="sanctions"
      name="sanctions"
      load={({ params, signal, headers }) =>
        answerOf(api.GET('/admin/api/{environment}/sanctions', { params, signal, headers }))
      }
    >
      {({ current, imports, refusals, commands }) => (
        <Stack gap="md">
          <ListPanel current={current} commands={commands} />
          <Panel title="Payments of listed senders">
            <DataTable
              label="Payments of listed senders"
              columns={refusalColumns(environment)}
              rows={refusals}
              empty={{ title: 'None in this environment', hint: 'Each payment is screened when it becomes final.' }}
            />
          </Panel>
          <Panel title="Versions">
            <DataTable
              label="Versions of the list"
              columns={IMPORTS}
              rows={imports}
              empty={{
                title: 'No list was imported',
                hint: 'The first start loads the one that comes with the service.',
              }}
            />
          </Panel>
        </Stack>
      )}
    </StatePage>
  );
}

function ListPanel({
  current,
  commands,
}: {
  readonly current: Sanctions['current'];
  readonly commands: readonly string[];
}) {
  return (
    <Panel title="Current list">
      {current === null ? (
        <Alert color="red" variant="light" title="There is no list">
          Nothing is paid out. Start the service, which loads one, or import a list.
        </Alert>
      ) : (
        <Facts
          facts={[
            {
              label: 'Status',
              value: current.is_stale ? (
                <StatusBadge word="Published more than 30 days ago" tone="warning" />
              ) : (
                <StatusBadge word="Published within 30 days" tone="good" />
              ),
            },
            { label: 'Source', value: current.source },
            { label: 'Published', value: `${current.published_on}, ${current.age_days} days ago` },
            { label: 'Imported', value: <Time at={current.imported_at} /> },
            {
              label: 'Listed addresses',
              value: Object.entries(current.addresses)
                .map(([family, count]) => `${family} ${wholeText(count)}`)
                .join(', '),
            },
            { label: 'No longer listed', value: wholeText(current.removed) },
          ]}
        />
      )}
      <Commands commands={commands} />
    </Panel>
  );
}

const IMPORTS: readonly Column<Import>[] = [
  { key: 'source', header: 'Source', cell: ({ source }) => source },
  { key: 'published', header: 'Published', cell: ({ published_on: day }) => day },
  { key: 'addresses', header: 'Addresses', align: 'right', cell: ({ addresses }) => wholeText(addresses) },
  { key: 'imported', header: 'Imported', cell: ({ imported_at: at }) => <Time at={at} /> },
];

const STATE: Readonly<Record<Refusal['state'], string>> = {
  frozen: 'On hold',
  kept: 'Kept on hold',
  returning: 'Being refunded',
  released: 'Released',
};

function refusalColumns(environment: string): Column<Refusal>[] {
  return [
    {
      key: 'id',
      header: 'Deposit',
      cell: ({ id }) => <IdLink to={`/${environment}/deposits/${id}`} id={id} />,
    },
    {
      key: 'amount',
      header: 'Amount',
      align: 'right',
      cell: ({ amount, token }) => amountText(amount?.decimal ?? '?', token),
    },
    { key: 'network', header: 'Network', cell: ({ network }) => network },
    {
      key: 'sender',
      header: 'Sender',
      cell: ({ sender, listed_as: name }) => (
        <Stack gap={2} align="flex-start">
          {sender === null ? 'unknown' : <Copy value={sender} label="sender" shown={shortHash(sender)} />}
          {name !== null && <ForeignText value={name} max={60} />}
        </Stack>
      ),
    },
    {
      key: 'state',
      header: 'Status',
      cell: ({ state }) => <StatusBadge word={STATE[state]} tone={state === 'frozen' ? 'warning' : 'neutral'} />,
    },
    {
      key: 'intent',
      header: 'Intent',
      cell: ({ payment_intent_id: id }) =>
        id === null ? '–' : <IdLink to={`/${environment}/intents/${id}`} id={id} />,
      isMinor: true,
    },
    { key: 'at', header: 'Final', cell: ({ at }) => <Time at={at} /> },
  ];
}
