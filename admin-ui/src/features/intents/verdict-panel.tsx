import { Button, Stack, Text } from '@mantine/core';
import { useEnvironment } from '../../app/environment.ts';
import { Commands } from '../../ui/commands.tsx';
import { CopyAction } from '../../ui/copy.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { RetrySettlement } from '../deposits/retry-settlement.tsx';
import type { IntentAction, IntentDetail } from './intent-object.ts';
import styles from './verdict-panel.module.css';

/** Why the intent is as it is, and what to do about it; what else is worth saying follows. */
export function VerdictPanel({ intent }: { readonly intent: IntentDetail }) {
  const { explanation, actions, answers, acknowledgement } = intent;
  return (
    <Panel title="What happened">
      <Stack gap="md">
        {explanation.findings.map(({ code, sentence }, place) => {
          const action = actions[place];
          return (
            <div key={code} className={styles['finding']} data-first={place === 0 || undefined} data-code={code}>
              <Text className={styles['sentence']}>{sentence}</Text>
              {action !== undefined && (place === 0 || !action.kind.startsWith('answer_')) && (
                <ActionOf action={action} answers={answers} intentId={intent.id} isFirst={place === 0} />
              )}
            </div>
          );
        })}
        {acknowledgement !== null && (
          <Text size="sm">
            Acknowledged by <ForeignText value={acknowledgement.author} /> <Time at={acknowledgement.created_at} />:{' '}
            <ForeignText value={acknowledgement.note} max={500} />
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

interface ActionProps {
  readonly action: IntentAction;
  readonly answers: IntentDetail['answers'];
  readonly intentId: string;
  readonly isFirst: boolean;
}

function ActionOf({ action, answers, intentId, isFirst }: ActionProps) {
  const environment = useEnvironment();
  const variant = isFirst ? 'filled' : 'default';
  const to = (place: string, label: string) => (
    <Button component={PlaceLink} to={`/${environment}/${place}`} variant={variant} size="xs">
      {label}
    </Button>
  );
  switch (action.kind) {
    case 'resend': {
      const [first = '', ...others] = action.delivery_ids;
      return to(
        `deliveries/${first}`,
        others.length === 0 ? 'Open the delivery to resend it' : 'Open the first delivery to resend it',
      );
    }
    case 'open_endpoint':
      return to(`endpoints/${action.endpoint_id}`, 'Open the endpoint');
    case 'send_missing':
      return to(`endpoints/${action.endpoint_id}`, 'Open the endpoint to send what it missed');
    case 'open_deposit': {
      const [first = '', ...others] = action.deposit_ids;
      return to(
        `deposits/${first}`,
        others.length === 0 ? 'Decide about the payment' : 'Decide about the first payment',
      );
    }
    case 'open_networks':
      return to('networks', 'Open the networks');
    case 'retry_settlement':
      return <RetrySettlement intentId={intentId} isMain={isFirst} />;
    case 'command':
      return <Commands commands={action.commands} />;
    case 'answer_payer':
      return <CopyAction label="Copy answer for the payer" value={answers.payer} />;
    case 'answer_merchant':
      return <CopyAction label="Copy answer for the merchant" value={answers.merchant} />;
    default:
      return (
        <Text size="sm" c="dimmed">
          No action needed. This page updates by itself.
        </Text>
      );
  }
}
