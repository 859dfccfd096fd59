import { TronNodeRig } from '../../../../../test/support/tron-node-rig.js';
import { recordedBroadcasts } from '../../../../../test/support/tron-vectors.js';
import { parseAddress } from '../address.js';
import { broadcastError, Refusal, type RefusalKind } from '../chain/refusal.js';

const STRANGER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';

interface Built {
  readonly txID: string;
  readonly raw_data: Record<string, unknown>;
  readonly raw_data_hex: string;
}

let rig: TronNodeRig;
let faucet: string;

beforeEach(async () => {
  rig = await TronNodeRig.start();
  faucet = parseAddress(rig.faucet.address) ?? '';
});
afterEach(() => rig.remove());

const build = async (amount = 1_000_000): Promise<Built> =>
  (await rig.ask('/wallet/createtransaction', {
    owner_address: faucet,
    to_address: parseAddress(STRANGER),
    amount,
  })) as Built;

const send = async (transaction: object): Promise<unknown> => rig.ask('/wallet/broadcasttransaction', transaction);
const signed = (built: Built) => ({ ...built, signature: [rig.sign(built.txID)] });
const hex = (text: string): string => Buffer.from(text).toString('hex');
/** The protobuf of a signed transaction: `raw_data` is field 1, the signature field 2. */
const wireOf = ({ raw_data_hex: raw, txID }: Built): string => {
  const length = raw.length / 2;
  return `0a${Buffer.of((length & 0x7f) | 0x80, length >> 7).toString('hex')}${raw}1241${rig.sign(txID)}`;
};

describe('a broadcast', () => {
  it('answers the id and nothing more than that it was accepted', async () => {
    const built = await build();
    expect(await send(signed(built))).toEqual({ result: true, txid: built.txID });
  });

  it('as bytes answers the same id, with the transaction', async () => {
    const built = await build();
    expect(await rig.ask('/wallet/broadcasthex', { transaction: wireOf(built) })).toEqual({
      result: true,
      code: 'SUCCESS',
      message: '',
      txid: built.txID,
      transaction: expect.stringContaining(built.txID),
    });
    await rig.controls.mine();
    expect(await rig.ask('/wallet/gettransactionbyid', { value: built.txID })).toMatchObject({
      ret: [{ contractRet: 'SUCCESS' }],
    });
  });

  it('hashes what the JSON says, and not the hex beside it, as java-tron does', async () => {
    const [first, second] = [await build(1_000_000), await build(2_000_000)];
    const mixed = { ...signed(first), raw_data: second.raw_data };
    expect(await send(mixed)).toMatchObject({ code: 'SIGERROR', txid: second.txID });
  });

  it('of bytes that are no transaction says so', async () => {
    expect(await rig.ask('/wallet/broadcasthex', { transaction: '0aff' })).toEqual({
      Error: expect.stringContaining('com.google.protobuf.InvalidProtocolBufferException'),
    });
  });

  it.each(recordedBroadcasts().recorded)(
    'is refused in the form of the recorded answer with $code',
    async ({ answer, code, message_text: message }) => {
      const kinds: Readonly<Record<string, RefusalKind>> = {
        TAPOS_ERROR: 'tapos',
        SIGERROR: 'signature',
        CONTRACT_VALIDATE_ERROR: 'validate',
        DUP_TRANSACTION_ERROR: 'duplicate',
        TRANSACTION_EXPIRATION_ERROR: 'expiration',
      };
      const detail = message.replace(/^(Contract validate error : |Validate signature error: )/, '');
      const ours = broadcastError(new Refusal(kinds[code] ?? 'busy', detail));
      // Older nodes have left out the full stop.
      expect({ code: ours.code, message: ours.message.replace(/\.$/, '') }).toEqual({
        code,
        message: message.replace(/\.$/, ''),
      });
      expect(Object.keys(answer).toSorted()).toEqual(['code', 'message', 'txid']);
    },
  );

  it.each(recordedBroadcasts().code_table.filter(({ code }) => !/CONNECTION|OTHER/.test(code)))(
    'has the code and the message of java-tron: $code',
    ({ code, message }) => {
      const kinds: RefusalKind[] = [
        'signature',
        'validate',
        'execute',
        'resource',
        'duplicate',
        'tapos',
        'too_big',
        'expiration',
        'busy',
        'unsolidified',
      ];
      const ours = kinds.map((kind) => broadcastError(new Refusal(kind, '<detail>')));
      const texts = ours.filter((one) => one.code === code).map((one) => one.message);
      expect(texts).toHaveLength(1);
      // Its own text is shown, and the id cache that has another message for duplicates is off by default.
      if (code !== 'TOO_BIG_TRANSACTION_ERROR' && message !== 'Transaction already exists.')
        expect(texts).toEqual([message]);
    },
  );

  it('twice is refused the second time, while pending and in a block', async () => {
    const transaction = signed(await build());
    await send(transaction);
    const refused = { code: 'DUP_TRANSACTION_ERROR', txid: transaction.txID, message: hex('Dup transaction.') };
    expect(await send(transaction)).toEqual(refused);
    await rig.controls.mine();
    expect(await send(transaction)).toEqual(refused);
  });

  it('is refused after the expiration, which is a minute after the head', async () => {
    const transaction = signed(await build());
    await rig.controls.mine(20);
    expect(await send(transaction)).toEqual({
      code: 'TRANSACTION_EXPIRATION_ERROR',
      txid: transaction.txID,
      message: hex('Transaction expired'),
    });
  });

  it('of a pending transaction is seen by its id at once, and its info when it is in a block', async () => {
    const transaction = signed(await build());
    await send(transaction);
    expect(await rig.ask('/wallet/gettransactionbyid', { value: transaction.txID })).toMatchObject({
      txID: transaction.txID,
    });
    expect(await rig.ask('/wallet/gettransactioninfobyid', { value: transaction.txID })).toEqual({});
    expect(await rig.ask('/walletsolidity/gettransactionbyid', { value: transaction.txID })).toEqual({});
  });
});

describe('a node that fails', () => {
  it('is unavailable for as many calls as ordered', async () => {
    await rig.controls.failNext('getnowblock', 'unavailable', 2);
    const status = async (): Promise<number> => (await fetch(`${rig.url}/wallet/getnowblock`)).status;
    expect([await status(), await status(), await status()]).toEqual([503, 503, 200]);
  });

  it('ends the connection without an answer, and has accepted the transaction', async () => {
    const transaction = signed(await build());
    await rig.controls.failNext('broadcasttransaction', 'no_answer');
    await expect(send(transaction)).rejects.toThrow();
    await rig.controls.mine();
    expect(await rig.ask('/wallet/gettransactionbyid', { value: transaction.txID })).toMatchObject({
      txID: transaction.txID,
    });
  });

  it.each([
    ['busy', 'SERVER_BUSY', 'Server busy.'],
    ['unsolidified', 'BLOCK_UNSOLIDIFIED', 'Block unsolidified.'],
  ] as const)('refuses a transaction because it is %s, and takes it the next time', async (how, code, message) => {
    const transaction = signed(await build());
    await rig.controls.failNext('broadcasttransaction', how);
    expect(await send(transaction)).toEqual({ code, txid: transaction.txID, message: hex(message) });
    expect(await send(transaction)).toMatchObject({ result: true });
  });
});
