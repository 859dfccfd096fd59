import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import { ListenerPauses } from '../../offers/listener-pauses.service.js';
import { NetworkOperationsModule } from '../../offers/network-operations.module.js';
import { type Command, defineCommand, EXIT, oneOf, required } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';

/** `networks pause`. */
export const networksPause = pauseCommand('pause', {
  usage: 'networks pause --network NAME --env ENV --reason TEXT',
  example: "npx coffer networks pause --network polygon --env live --reason 'its nodes are being moved'",
  details:
    'The listener reads nothing more, and no address is assigned on the network until it is resumed. Intents do not expire\n' +
    'meanwhile. Payouts are sent, and become final once it is resumed.',
  result: 'PAUSED: nothing is read from',
});

/** `networks resume`. */
export const networksResume = pauseCommand('resume', {
  usage: 'networks resume --network NAME --env ENV --reason TEXT',
  example: "npx coffer networks resume --network polygon --env live --reason 'the nodes are back'",
  details: 'The listener continues at its cursor, so what was paid meanwhile is found.',
  result: 'RESUMED: reading continues on',
});

interface PauseHelp {
  readonly usage: string;
  readonly example: string;
  readonly details: string;
  /** What the command has done, before the name of the network. */
  readonly result: string;
}

function pauseCommand(verb: 'pause' | 'resume', { result, ...help }: PauseHelp): Command {
  return defineCommand({
    ...help,
    options: {
      network: { type: 'string', value: 'NAME', about: 'The listener of this network.' },
      env: { type: 'string', value: 'ENV', about: 'sandbox or live.' },
      reason: reasonOption,
    },
    run: ({ values }, context) => {
      const network = oneOf(NETWORKS, required(values.network, '--network'), '--network');
      const environment = oneOf(ENVIRONMENTS, required(values.env, '--env'), '--env');
      const order = staffOrder(values.reason);
      return withServices(context, { modules: [NetworkOperationsModule] }, async ({ database, get }) => {
        await database.transaction((tx) => get(ListenerPauses)[verb](tx, environment, network, order));
        context.terminal.line(`${result} ${environment}/${network}.`);
        return EXIT.fine;
      });
    },
  });
}
