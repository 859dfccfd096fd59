import '@mantine/core/styles/List.layer.css';
import { Alert, List, Stack, Text } from '@mantine/core';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { countText } from '../../ui/numbers.ts';
import { SendTest } from '../endpoints/send-test.tsx';

export type Preview = components['schemas']['ReplayPreview'];

const SHOWN_MAX = 8;
/** The most endpoints that a test is offered for: if more refuse, one wrong secret is not the cause. */
const TESTED_MAX = 3;

const WARNING: Readonly<Record<Preview['warnings'][number], string>> = {
  nothing_to_send: 'Nothing will be sent.',
  endpoint_disabled: 'A disabled endpoint gets nothing. An administrator can enable it, to send what waits for it.',
  probably_wrong_secret:
    'Many of these were refused as unauthorized: the receiver probably uses another secret. Send a test before you send them all.',
  sends_delivered_again: 'Some were delivered already. The receiver gets them once more, with the same event id.',
};

/** What a replay would send to whom, and what is worth knowing before. */
export function ReplayPreview({ preview }: { readonly preview: Preview }) {
  const { sendable, blocked, count_is_more: isMore, warnings, endpoints } = preview;
  const sentTo = endpoints.filter(({ enabled }) => enabled).length;
  // That an endpoint is disabled says already why nothing is sent.
  const shown = warnings.filter((warning) => warning !== 'nothing_to_send' || blocked === 0);
  return (
    <Stack gap="sm">
      {(sendable > 0 || blocked > 0) && (
        <Text>
          {sendable > 0 && (
            <>
              <strong>{countText(sendable, isMore)}</strong> {sendable === 1 ? 'delivery' : 'deliveries'} will be sent,
              to {sentTo} {sentTo === 1 ? 'endpoint' : 'endpoints'}, at most 20 at a time to each.{' '}
            </>
          )}
          {blocked > 0 && (
            <>
              <strong>{countText(blocked, isMore)}</strong>{' '}
              {blocked === 1 ? 'is for a disabled endpoint' : 'are for disabled endpoints'} and will not be sent.
            </>
          )}
        </Text>
      )}
      {shown.map((warning) => (
        <Alert key={warning} color="yellow" variant="light">
          {WARNING[warning]}
        </Alert>
      ))}
      {warnings.includes('probably_wrong_secret') && <Tests endpoints={endpoints} />}
      <List size="sm" spacing={4}>
        {endpoints.slice(0, SHOWN_MAX).map(({ id, url, merchant_name: merchant, count, cause, enabled }) => (
          <List.Item key={id}>
            <ForeignText value={url} max={80} /> (<ForeignText value={merchant} max={40} />
            ): {countText(count, false)}
            {cause !== null && `, ${cause}`}
            {!enabled && ', disabled'}
          </List.Item>
        ))}
      </List>
      {endpoints.length > SHOWN_MAX && <Text size="sm">and {endpoints.length - SHOWN_MAX} more.</Text>}
    </Stack>
  );
}

function Tests({ endpoints }: Pick<Preview, 'endpoints'>) {
  const environment = useEnvironment();
  const session = useSession();
  if (!may(session, environment, 'endpoints.test')) return null;
  const doubted = endpoints.filter((endpoint) => endpoint.probably_wrong_secret && endpoint.enabled);
  return (
    <Stack gap="xs">
      {doubted.slice(0, TESTED_MAX).map(({ id, url }) => (
        <SendTest key={id} endpointId={id} {...(doubted.length > 1 && { url })} />
      ))}
    </Stack>
  );
}
