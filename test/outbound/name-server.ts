import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const FLAGS_ANSWER = 0x8180;
const FLAGS_NO_SUCH_NAME = 0x8183;
const TYPE_A = 1;
const POINTER_TO_QUESTION = 0xc00c;

/** A name server on this machine. */
export interface NameServer {
  /** Its address for `Resolver.setServers`. */
  address: string;
  close(): Promise<void>;
}

/** Answers every query of type A with `ipv4`, of others with nothing, or with "no such name", or not at all. */
export async function startNameServer(answer: { ipv4: string } | 'no such name' | 'silence'): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    if (answer === 'silence') return;
    socket.send(answer === 'no such name' ? noSuchName(query) : addressAnswer(query, answer.ipv4), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function noSuchName(query: Buffer): Buffer {
  const reply = questionOf(query);
  reply.writeUInt16BE(FLAGS_NO_SUCH_NAME, 2);
  return reply;
}

function addressAnswer(query: Buffer, ipv4: string): Buffer {
  const reply = questionOf(query);
  reply.writeUInt16BE(FLAGS_ANSWER, 2);
  const type = reply.readUInt16BE(reply.length - 4);
  if (type !== TYPE_A) return reply;
  reply.writeUInt16BE(1, 6);
  const record = Buffer.alloc(16);
  record.writeUInt16BE(POINTER_TO_QUESTION, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(4, 10);
  Buffer.from(ipv4.split('.').map(Number)).copy(record, 12);
  return Buffer.concat([reply, record]);
}

/** The query's header and question, without the additional records that the client sends. */
function questionOf(query: Buffer): Buffer {
  const question = Buffer.from(query.subarray(0, query.indexOf(0, HEADER_BYTES) + 5));
  question.fill(0, 6, HEADER_BYTES);
  return question;
}
