import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.d.ts';
import { CustomPaymentForm, MineForm } from './sandbox-forms.tsx';
import { useSandboxAction } from './sandbox-actions.ts';
import styles from './sandbox-controls.module.css';

export type SandboxState = components['schemas']['IntentControls'];
type Control = components['schemas']['SandboxControl'];

interface Labelled {
  readonly name: Control['name'];
  readonly label: (amount: string) => string;
}

const PAYMENTS: readonly (Labelled & { readonly name: 'exact' | 'under' | 'over' | 'late' })[] = [
  { name: 'exact', label: (amount) => `Pay exactly${amount}` },
  { name: 'under', label: (amount) => `Pay too little${amount}` },
  { name: 'over', label: (amount) => `Pay too much${amount}` },
  { name: 'late', label: (amount) => `Expire, then pay${amount}` },
];
const ABSENT: Omit<Control, 'name'> = { amount_decimal: null, unavailable: 'It does not exist here.' };

/** The buttons and forms with which staff and developers play payer and chain. */
export function SandboxControls({ state }: { readonly state: SandboxState }) {
  const { running, act } = useSandboxAction(state.payment_intent_id);
  const of = (name: Control['name']): Control =>
    state.controls.find((control) => control.name === name) ?? { name, ...ABSENT };
  const shared = sharedReason(state.controls);
  if (shared !== null) return <Text size="sm">{shared}</Text>;
  const button = (key: string, control: Control, label: string, onClick: () => void) => (
    <Button
      key={key}
      size="xs"
      variant={key === 'exact' ? 'filled' : 'default'}
      disabled={control.unavailable !== null || (running !== null && running !== key)}
      loading={running === key}
      onClick={onClick}
      // Narrow screens have no room for the longest on one line.
      className={styles['button'] ?? ''}
      classNames={{ label: styles['label'] ?? '' }}
    >
      {label}
    </Button>
  );
  const [exact, reorg] = [of('exact'), of('reorg')];
  // An intent that cannot expire any more has ended, or its deadline has passed.
  const isOver = of('expire').unavailable !== null;
  // A payment is final seconds after its block, so what is to be dropped can be paid in the same click.
  const paysFirst = reorg.unavailable !== null && exact.unavailable === null;
  const dropped: Control = paysFirst ? { ...reorg, unavailable: null } : reorg;
  return (
    <Stack gap="md">
      <Row title="Pay" controls={PAYMENTS.map(({ name }) => of(name))}>
        {PAYMENTS.map(({ name, label }) => {
          const control = of(name);
          const amount =
            control.amount_decimal === null || control.unavailable !== null
              ? ''
              : `: ${control.amount_decimal} ${state.token}`;
          const text = name === 'late' && isOver ? `Pay late${amount}` : label(amount);
          return button(name, control, text, () => void act(name, { kind: 'pay', payment: name }));
        })}
      </Row>
      {of('custom').unavailable === null && (
        <CustomPaymentForm tokens={state.tokens} token={state.token} running={running} act={act} />
      )}
      <Row title="Chain" controls={[dropped]}>
        {([true, false] as const).map((returns) =>
          button(
            `reorg-${returns}`,
            dropped,
            `${paysFirst ? 'Pay, then drop by a reorg' : 'Drop the payment by a reorg'}${returns ? ' (it comes back)' : ' (for good)'}`,
            () => void act(`reorg-${returns}`, { kind: 'reorg', returns, paysFirst }),
          ),
        )}
        {button('expire', of('expire'), 'Expire now', () => void act('expire', { kind: 'expire' }))}
      </Row>
      {of('mine').unavailable === null && <MineForm network={state.network} running={running} act={act} />}
    </Stack>
  );
}

interface RowProps {
  readonly title: string;
  readonly controls: readonly Control[];
  readonly children: ReactNode;
}

/** Buttons of one kind, and why some of them do nothing now. */
function Row({ title, controls, children }: RowProps) {
  const reasons = new Set(controls.flatMap(({ unavailable }) => unavailable ?? []));
  return (
    <Stack gap={4} role="group" aria-label={title}>
      <Group gap="xs">{children}</Group>
      {reasons.size > 0 && (
        <Text size="sm" c="dimmed">
          {[...reasons].join(' ')}
        </Text>
      )}
    </Stack>
  );
}

/** The reason that forbids everything, such as a public test network. */
function sharedReason(controls: readonly Control[]): string | null {
  const late = controls.find(({ name }) => name === 'late')?.unavailable ?? null;
  const custom = controls.find(({ name }) => name === 'custom')?.unavailable ?? null;
  const mine = controls.find(({ name }) => name === 'mine')?.unavailable ?? null;
  return late !== null && late === custom && mine !== null ? late : null;
}
