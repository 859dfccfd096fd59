import { keptAnswerRows } from '../../idempotency/kept-answer-rows.js';
import { armFailpoints } from '../../platform/failpoints.js';
import { SecretBox } from '../../platform/secret-box.js';
import { type Renewal, renewSecrets } from '../../platform/secret-renewal.js';
import { totpSecretRows } from '../../staff/totp-secret-rows.js';
import { endpointSecretRows } from '../../webhooks/endpoints/endpoint-secret-rows.js';
import { defineCommand, EXIT, UsageError } from '../command.js';
import { commandConfig } from '../command-config.js';
import { withServices } from '../command-services.js';
import { columns } from '../terminal.js';

const TITLES = ['', 'RESEALED', 'UP TO DATE', 'IN USE', 'OPENED BY NEITHER'];

/** `secrets reseal`. */
export const secretsReseal = defineCommand({
  usage: 'secrets reseal',
  example: 'SECRETS_KEY=... PREVIOUS_SECRETS_KEY=... npx coffer secrets reseal',
  details:
    'Encrypts with SECRETS_KEY what is encrypted with PREVIOUS_SECRETS_KEY: the signing secrets of webhook endpoints, the\n' +
    'authenticators of staff, and stored answers that contain a secret. The service may run meanwhile, with both keys. If it is interrupted, run it again.\n' +
    'Without PREVIOUS_SECRETS_KEY it checks whether SECRETS_KEY alone opens everything.',
  options: {},
  run: (_input, context) => {
    const { secretsKey, previousSecretsKey, failpoints } = commandConfig(context);
    if (secretsKey === null) throw new UsageError('SECRETS_KEY is not set.');
    armFailpoints(failpoints);
    const box = new SecretBox(secretsKey, previousSecretsKey);
    return withServices(context, { modules: [] }, async ({ database }) => {
      const endpoints = await renewSecrets(box, endpointSecretRows(database));
      const authenticators = await renewSecrets(box, totpSecretRows(database));
      const answers = await renewSecrets(box, keptAnswerRows(database));
      const rows = [
        TITLES,
        cellsOf('webhook endpoints', endpoints),
        cellsOf('authenticators', authenticators),
        cellsOf('stored answers', answers),
      ];
      for (const line of columns(rows)) context.terminal.line(line);
      const isOver = [endpoints, authenticators, answers].every(
        ({ passedOver, unreadable }) => passedOver + unreadable === 0,
      );
      if (isOver) context.terminal.line('SECRETS_KEY alone opens everything.');
      else
        context.terminal.problem('What to try: run it again. Rows that neither key opens need the key of their time.');
      return isOver ? EXIT.fine : EXIT.bad;
    });
  },
});

const cellsOf = (name: string, { renewed, current, passedOver, unreadable }: Renewal): string[] => [
  name,
  ...[renewed, current, passedOver, unreadable].map(String),
];
