import { KeptText } from '../../../test/support/cli-run.js';
import { ApiRefusal } from '../api-client.js';
import { CommandFailure } from '../command.js';
import { humanNarrator, jsonNarrator, type Narrator } from './demo-narrator.js';
import { terminalOf } from '../terminal.js';

const REFUSAL = new ApiRefusal(503, 'no_wallets_available', 'No free address is left.', 'req_1', 'see /docs/errors');

const succeed = (narrator: Narrator): Promise<string> =>
  narrator.step('intent_created', async (note) => {
    note('asking');
    return { value: 'pi_1', says: ['pi_1, requires_action', 'for 25 USDC'], facts: { payment_intent_id: 'pi_1' } };
  });

const fail = (narrator: Narrator, error: Error): Promise<unknown> =>
  narrator.step('address_assigned', () => Promise.reject(error));

describe('the output of the demo', () => {
  let out: KeptText;
  beforeEach(() => (out = new KeptText()));

  it('prints each step with its number, progress, result and time', async () => {
    const narrator = humanNarrator(terminalOf(out, out));
    narrator.opening('Demo');
    expect(await succeed(narrator)).toBe('pi_1');
    narrator.closing();
    expect(out.text.replaceAll(/\d+\.\d s/g, 'N s')).toBe(
      '\nDemo\n\n 3/10  Payment intent created\n      · asking (N s)\n' +
        '      ✓ pi_1, requires_action (N s)\n        for 25 USDC\n\nAll 10 steps passed in N s.\n',
    );
  });

  it('prints the cause, the request and what to try when a step fails', async () => {
    await expect(fail(humanNarrator(terminalOf(out, out)), REFUSAL)).rejects.toBe(REFUSAL);
    expect(out.text).toContain('✗ No free address is left. (503 no_wallets_available, request req_1)');
    expect(out.text).toContain('What to try: see /docs/errors');
  });

  it('prints one JSON object per line for machines, with the request of a failure', async () => {
    const narrator = jsonNarrator(terminalOf(out, out));
    await succeed(narrator);
    await expect(fail(narrator, REFUSAL)).rejects.toBe(REFUSAL);
    const lines = out.text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toEqual([
      { step: 3, of: 10, name: 'intent_created', ok: true, ms: expect.any(Number), payment_intent_id: 'pi_1' },
      {
        step: 4,
        of: 10,
        name: 'address_assigned',
        ok: false,
        ms: expect.any(Number),
        error: {
          message: REFUSAL.message,
          advice: 'see /docs/errors',
          code: 'no_wallets_available',
          request_id: 'req_1',
        },
      },
    ]);
  });

  it('adds the cause of a failure', async () => {
    const error = new CommandFailure('The service does not answer.', null, {
      cause: new Error('connect ECONNREFUSED'),
    });
    await expect(fail(humanNarrator(terminalOf(out, out)), error)).rejects.toBe(error);
    expect(out.text).toContain('✗ The service does not answer. Because: connect ECONNREFUSED');
  });
});
