import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import { ENVIRONMENT_NAME, useEnvironment } from '../../app/environment.ts';
import { CopyAction } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { statusTextOr } from '../../ui/status-words.ts';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { hrefOfHit, KIND_NAME, MATCH_NAME, onlyHit, type SearchHit, type SearchResult } from './search-hits.ts';

/** What a pasted text names. Where it names one thing, the page of that thing opens in the place of this one. */
export function SearchPage() {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { q }: { q?: string } = useSearch({ strict: false });
  const result = useQuery({
    queryKey: ['search', environment, q],
    enabled: q !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/search', {
          params: { path: { environment }, query: { q: q ?? '' } },
          signal,
        }),
      ),
  });
  const only = result.data === undefined || result.isPlaceholderData ? null : onlyHit(result.data);
  const target = only === null ? null : hrefOfHit(only);
  useEffect(() => {
    if (target !== null) void navigate({ href: target, replace: true });
  }, [target, navigate]);
  return (
    <Page
      title="Search"
      summary="Paste an id, an address, a transaction, a reference, or the whole mail that contains it."
    >
      <PasteForm key={q} q={q ?? ''} />
      {result.error !== null && <ErrorState error={asApiError(result.error)} onRetry={() => void result.refetch()} />}
      {((q !== undefined && result.isPending) || target !== null) && <Loading />}
      {result.data !== undefined && target === null && <Result result={result.data} />}
    </Page>
  );
}

function PasteForm({ q }: { readonly q: string }) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (text.trim() !== '')
      void navigate({ href: `/${environment}/search?${new URLSearchParams({ q: text.trim() })}` });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Textarea
          label="Text to search in"
          autosize
          minRows={2}
          maxRows={10}
          maxLength={4_000}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Group gap="xs">
          <Button type="submit">Search</Button>
        </Group>
      </Stack>
    </form>
  );
}

function Result({ result }: { readonly result: SearchResult }) {
  const { hits, elsewhere, unknown, sentence } = result;
  const environment = useEnvironment();
  const [first] = elsewhere;
  return (
    <Stack gap="md">
      <div role="status">
        <Panel title={sentence}>
          {hits.length === 0 && (
            <Text size="sm" mb="xs">
              Only exact identifiers are found, in any letter case that their network allows.{' '}
              {unknown.length > 0
                ? 'A transaction that pays none of our addresses, or one on a network that is not offered, is not known here.'
                : 'Ask for the id of the payment, the address or the transaction.'}
            </Text>
          )}
          {hits.length === 0 && first === undefined && (
            <>
              <Text size="sm" mb="xs">
                {answerOfNothing(result)}
              </Text>
              <CopyAction label="Copy answer" value={answerOfNothing(result)} />
            </>
          )}
        </Panel>
      </div>
      {hits.length > 0 && <Hits label={`Found in ${environment}`} hits={hits} />}
      {first !== undefined && (
        <Panel title={`In ${ENVIRONMENT_NAME[first.environment]}`}>
          <Hits label={`Found in ${first.environment}`} hits={elsewhere} />
        </Panel>
      )}
    </Stack>
  );
}

/** What to answer to a mail that names nothing we know. */
const answerOfNothing = ({ unknown }: SearchResult): string =>
  `${unknown.length === 0 ? 'We cannot find the payment from what you wrote' : `We know no payment by ${unknown.join(', ')}`}. ` +
  'Please send us the id of the payment, the address that was paid to, or the hash of the transaction.';

function Hits({ label, hits }: { readonly label: string; readonly hits: readonly SearchHit[] }) {
  return (
    <DataTable
      label={label}
      columns={COLUMNS}
      rows={hits}
      empty={{ title: 'Nothing', hint: 'The text names nothing.' }}
    />
  );
}

const COLUMNS: readonly Column<SearchHit>[] = [
  { key: 'kind', header: 'What', cell: ({ kind }) => KIND_NAME[kind] },
  { key: 'id', header: 'Id', cell: (hit) => <HitLink hit={hit} /> },
  {
    key: 'merchant',
    header: 'Merchant',
    cell: ({ merchant_name: name }) => (name === null ? '–' : <ForeignText value={name} />),
  },
  {
    key: 'state',
    header: 'Status or answer',
    cell: ({ state, note }) => note ?? (state === null ? '–' : statusTextOr(state)),
  },
  { key: 'amount', header: 'Amount', align: 'right', cell: ({ amount }) => amount ?? '–' },
  {
    key: 'matches',
    header: 'Found by',
    cell: ({ matches }) => [...new Set(matches.map(({ by }) => MATCH_NAME[by]))].join(', '),
  },
  { key: 'created', header: 'Created', cell: ({ created_at: at }) => <Time at={at} />, isMinor: true },
];

function HitLink({ hit }: { readonly hit: SearchHit }) {
  const href = hrefOfHit(hit);
  return href === null ? <span>{hit.id}</span> : <PlaceLink to={href}>{hit.id}</PlaceLink>;
}
