import { ApiRefusal } from '../api-client.js';
import { CommandFailure } from '../command.js';
import { explain } from '../commands/explain.js';
import type { Terminal } from '../terminal.js';

/** The steps of the demo, in order. */
const DEMO_STEPS = {
  service_ready: 'Service ready',
  webhook_endpoint: 'Webhook endpoint registered',
  intent_created: 'Payment intent created',
  address_assigned: 'Address assigned, amount locked',
  payment_sent: 'Payment sent on chain',
  intent_completed: 'Payment seen, confirmed, intent completed',
  webhook_verified: 'Webhook received, signature verified',
  withdrawal_ordered: 'Withdrawal ordered: half of it, to an external address',
  withdrawal_completed: 'Withdrawal signed, sent, confirmed',
  withdrawal_webhook: 'Webhook of the withdrawal received, signature verified',
} as const;
export type DemoStep = keyof typeof DEMO_STEPS;

/** The result of a step, with its output as text and as JSON. */
export interface StepResult<T> {
  readonly value: T;
  readonly says: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Reports progress within a step. */
export type Note = (text: string) => void;

/** Prints the steps of the demo as they happen. */
export interface Narrator {
  opening(title: string): void;
  /** Runs one step and prints its result. Rejects with the error of the step. */
  step<T>(step: DemoStep, work: (note: Note) => Promise<StepResult<T>>): Promise<T>;
  closing(): void;
}

const NAMES = Object.keys(DEMO_STEPS);
const placeOf = (step: DemoStep): number => NAMES.indexOf(step) + 1;

/** For people: prints the start of each step, its progress, its result and its duration. */
export function humanNarrator(terminal: Terminal): Narrator {
  const startedAt = performance.now();
  const indented = (text: string): void => terminal.line(`      ${text}`);
  return {
    opening: (title) => terminal.line(`\n${terminal.paint('bold', title)}\n`),
    step: async (step, work) => {
      const begun = performance.now();
      terminal.line(` ${placeOf(step)}/${NAMES.length}  ${terminal.paint('bold', DEMO_STEPS[step])}`);
      try {
        const { value, says } = await work((text) =>
          indented(terminal.paint('dim', `· ${text} (${secondsSince(begun)})`)),
        );
        const [first = 'done', ...rest] = says;
        indented(`${terminal.paint('green', '✓')} ${first} ${terminal.paint('dim', `(${secondsSince(begun)})`)}`);
        for (const text of rest) indented(`  ${text}`);
        return value;
      } catch (error) {
        indented(`${terminal.paint('red', '✗')} ${messageOf(error)} (${secondsSince(begun)})`);
        const advice = adviceOf(error);
        if (advice !== null) indented(`  What to try: ${advice}`);
        throw error;
      }
    },
    closing: () => {
      terminal.line();
      terminal.line(terminal.paint('green', `All ${NAMES.length} steps passed in ${secondsSince(startedAt)}.`));
    },
  };
}

/** For machines: prints one JSON object per line for each step, also for a failed one. */
export function jsonNarrator(terminal: Terminal): Narrator {
  return {
    opening: () => undefined,
    step: async (name, work) => {
      const begun = performance.now();
      const line = (ok: boolean, facts: Readonly<Record<string, unknown>>): void => {
        const ms = Math.round(performance.now() - begun);
        terminal.json({ step: placeOf(name), of: NAMES.length, name, ok, ms, ...facts });
      };
      try {
        const { value, facts } = await work(() => undefined);
        line(true, facts);
        return value;
      } catch (error) {
        const refusal = error instanceof ApiRefusal ? { code: error.code, request_id: error.requestId } : {};
        line(false, { error: { message: messageOf(error), advice: adviceOf(error), ...refusal } });
        throw error;
      }
    },
    closing: () => undefined,
  };
}

const secondsSince = (begun: number): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;

const messageOf = (error: unknown): string => explain(error).join(' Because: ');

const adviceOf = (error: unknown): string | null => (error instanceof CommandFailure ? error.advice : null);
