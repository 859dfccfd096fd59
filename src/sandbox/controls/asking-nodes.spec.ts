import { eventually } from '../../../test/support/eventually.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { DomainError } from '../../domain/errors.js';
import { createLogger } from '../../platform/logging.js';
import { askingNodes } from './asking-nodes.js';

describe('what asks a development chain', () => {
  it('is answered after a time, goes on, and has its failure logged', async () => {
    const log = new LogLines();
    const logger = createLogger('info', { destination: log });
    const asked = Promise.withResolvers<never>();
    const onTimeout = async () => new DomainError('network_unavailable', 'It goes on.');
    const answer = askingNodes(() => asked.promise, { network: 'polygon', logger, onTimeout, timeoutMs: 10 });
    await expect(answer).rejects.toMatchObject({ code: 'network_unavailable', message: 'It goes on.' });
    expect(log.lines).toEqual([]);
    asked.reject(new Error('The chain grew faster than it could be cut at 7.'));
    const [line] = await eventually(
      async () => log.named('A development chain failed after its answer.'),
      (lines) => lines.length > 0,
    );
    expect(line).toMatchObject({
      level: 'warn',
      network: 'polygon',
      err: { message: 'The chain grew faster than it could be cut at 7.' },
    });
  });
});
