import '@mantine/core/styles/Code.layer.css';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { POLL_MS, useLive } from '../../live/use-live.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Json } from '../../ui/json.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { statusText } from '../../ui/status-words.ts';
import { NotesPanel } from '../notes/notes-panel.tsx';
import { AnswersPanel } from './answers-panel.tsx';
import { IntentFacts } from './intent-facts.tsx';
import { INTENT_TONE } from './intents-search.ts';
import { PaymentsPanel } from './payments-panel.tsx';
import { PayPanel } from './pay-panel.tsx';
import { QuotePanel } from './quote-panel.tsx';
import { SandboxPanel } from './sandbox-panel.tsx';
import { TimelinePanel } from './timeline-panel.tsx';
import { VerdictPanel } from './verdict-panel.tsx';

const OPEN = ['requires_action', 'processing'];

/** One payment intent: what it is, why, and what to do. It follows the intent without a reload. */
export function IntentPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const live = useLive('intents', 'deliveries', 'endpoints');
  const intent = useQuery({
    queryKey: ['intent', environment, id],
    queryFn: ({ signal, queryKey: _key, client }) =>
      answerOf(
        api.GET('/admin/api/{environment}/intents/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: client.getQueryData(['intent', environment, id]) === undefined ? {} : BACKGROUND,
        }),
      ),
    // What was mended on another page shows when the reader comes back.
    refetchOnMount: 'always',
    ...live,
    // What an open intent waits for depends on the time and on how far its chain is read: no topic reports that.
    refetchInterval: ({ state }) => (OPEN.includes(state.data?.status ?? '') ? POLL_MS : live.refetchInterval()),
  });
  if (intent.data === undefined) {
    return (
      <Page title={id}>
        {intent.error === null ? (
          <Loading />
        ) : (
          <ErrorState error={asApiError(intent.error)} onRetry={() => void intent.refetch()} />
        )}
      </Page>
    );
  }
  const { data } = intent;
  return (
    <Page
      title={id}
      heading={id}
      summary={
        <span aria-live="polite">
          <StatusBadge word={statusText(data.status)} tone={INTENT_TONE[data.status]} />
        </span>
      }
    >
      <VerdictPanel intent={data} />
      <IntentFacts intent={data} />
      <PaymentsPanel intent={data} />
      {data.to_pay_decimal !== null && data.address !== null && (
        <PayPanel intent={data} address={data.address} toPay={data.to_pay_decimal} />
      )}
      {environment === 'sandbox' && <SandboxPanel intentId={data.id} />}
      <TimelinePanel intentId={id} status={data.status} />
      <AnswersPanel answers={data.answers} />
      <NotesPanel kind="payment_intent" id={id} />
      {data.quote !== null && <QuotePanel quote={data.quote} />}
      <Panel title="Metadata">
        <Json value={data.metadata} label="the metadata" />
      </Panel>
    </Page>
  );
}
