import { Event } from '../events/event.entity.js';
import { Posting } from '../ledger/posting.entity.js';
import { Note } from '../notes/note.entity.js';
import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { all, cte, define, defineAll, subselect } from '../platform/sql/relation.js';
import { join, raw, sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { LoggedRequest } from '../request-log/logged-request.entity.js';
import { Delivery } from '../webhooks/deliveries/delivery.entity.js';
import { waiting, waitingEndpoints } from '../webhooks/deliveries/waiting-endpoints.sql.js';
import { WebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.entity.js';
import { ReplayJob } from '../webhooks/replays/replay-job.entity.js';
import { ReplayTarget } from '../webhooks/replays/replay-target.entity.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';
import type { LiveTopic } from './live-topic.js';
import { each, markOf, NEWEST, SMALL_SET, topicOf } from './mark.sql.js';
import { newActions, serviceMarks } from './service-marks.sql.js';
import { treasuryMarks } from './treasury-marks.sql.js';

/** More than are in flight to one endpoint, and attempts begin with what is due first. */
const FIRST_DUE = raw('5');

const intent = table(PaymentIntent);
const event = table(Event);
const deposit = table(Deposit);
const chain = table(Chain);
const cursor = table(ChainCursor);
const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint);
const posting = table(Posting);
const withdrawal = table(Withdrawal);
const note = table(Note);
const job = table(ReplayJob);
const target = table(ReplayTarget);
const request = table(LoggedRequest);

const newIntents = subselect(
  'new_intents',
  sql`select ${out(intent, 'id', 'environment', 'status', 'updatedAt')} from ${intent}
       order by ${intent.id} desc limit ${NEWEST}`,
);
const intents = sql`
  select ${topicOf('intents')}, ${newIntents.environment.as('environment')},
         ${markOf(newIntents.id, newIntents.status, newIntents.updatedAt)}
    from ${define(newIntents)} group by ${newIntents.environment}`;

/** Every status that an older intent reaches, and the end of every withdrawal, has an event. */
const newEvents = subselect(
  'new_events',
  sql`select ${out(event, 'position', 'environment', 'type')} from ${event}
       order by ${event.position} desc limit ${NEWEST}`,
);
const subject = sql`split_part(${newEvents.type}, '.', 1)`;
const events = sql`
  select case ${subject} when 'payment_intent' then 'intents' when 'withdrawal' then 'withdrawals' else 'endpoints' end
           ${as.textOf<LiveTopic>()('topic')},
         ${newEvents.environment.as('environment')}, ${markOf(newEvents.position)}
    from ${define(newEvents)} group by 1, ${newEvents.environment}`;

const seenOfChain = subselect(
  'seen_of_chain',
  sql`select ${out(deposit, 'id')} from ${deposit}
       where ${deposit.chainRef} = ${chain.id} and ${deposit.status} = 'seen'
       order by ${deposit.blockHeight} desc limit ${NEWEST}`,
);
/** Payments that are not final yet, and the blocks that confirm them. */
const seen = cte(
  'seen',
  sql`select ${seenOfChain.id.as('id')}, ${out(chain, 'environment')}, ${out(cursor, 'height', 'headHeight')}
        from ${chain} join ${cursor} on ${cursor.chainRef} = ${chain.id} cross join lateral ${define(seenOfChain)}`,
);
const confirming = sql`
  select ${topicOf('intents')}, ${seen.environment.as('environment')}, ${markOf(seen.id, seen.height, seen.headHeight)}
    from ${seen} group by ${seen.environment}`;
const pending = sql`
  select ${topicOf('pockets')}, ${seen.environment.as('environment')}, ${markOf(seen.id)}
    from ${seen} group by ${seen.environment}`;

const newPostings = subselect(
  'new_postings',
  sql`select ${out(posting, 'id', 'environment')} from ${posting} order by ${posting.id} desc limit ${NEWEST}`,
);
const pockets = sql`
  select ${topicOf('pockets')}, ${newPostings.environment.as('environment')}, ${markOf(newPostings.id)}
    from ${define(newPostings)} group by ${newPostings.environment}`;

const newDeliveries = cte(
  'new_deliveries',
  sql`select ${out(delivery, 'id', 'status', 'attempts', 'series', 'superseded')}, ${delivery.environment.asNotNull('environment')}
        from ${delivery} order by ${delivery.id} desc limit ${NEWEST}`,
);
const delivered = sql`
  select ${topicOf('deliveries')}, ${newDeliveries.environment.as('environment')},
         ${markOf(newDeliveries.id, newDeliveries.status, newDeliveries.attempts, newDeliveries.superseded)}
    from ${newDeliveries} group by ${newDeliveries.environment}`;
const buried = sql`
  select ${topicOf('dead_letters')}, ${newDeliveries.environment.as('environment')},
         ${markOf(newDeliveries.id, newDeliveries.status, newDeliveries.superseded)}
    from ${newDeliveries} where ${newDeliveries.series} > 1 or ${newDeliveries.status} = 'dead_letter'
   group by ${newDeliveries.environment}`;

/** The walk over the waiting endpoints goes no further than this reads. */
const someWaiting = subselect(
  'some_waiting',
  sql`select ${all(waiting)} from ${waiting} where ${waiting.endpointId} is not null limit ${SMALL_SET}`,
);
const dueOfEndpoint = subselect(
  'due_of_endpoint',
  sql`select ${out(delivery, 'id', 'dueAt', 'attempts')} from ${delivery}
       where ${delivery.endpointId} = ${someWaiting.endpointId} and ${delivery.status} = 'pending'
       order by ${delivery.dueAt} limit ${FIRST_DUE}`,
);
/** What each endpoint is sent next: an attempt takes it out, or moves it back in time. */
const next = cte(
  'next_due',
  sql`select ${all(dueOfEndpoint)}, ${out(endpoint, 'environment', 'deadLetters')}
        from ${define(someWaiting)} join ${endpoint} on ${endpoint.id} = ${someWaiting.endpointId}
       cross join lateral ${define(dueOfEndpoint)}`,
);
const attempted = sql`
  select ${topicOf('deliveries')}, ${next.environment.as('environment')}, ${markOf(next.id, next.dueAt)}
    from ${next} group by ${next.environment}`;
const failing = sql`
  select ${topicOf('dead_letters')}, ${next.environment.as('environment')},
         ${markOf(next.id, next.dueAt, next.deadLetters)}
    from ${next} where ${next.attempts} > 0 group by ${next.environment}`;

const endpointsOfEach = subselect(
  'endpoints_of_each',
  sql`select ${out(endpoint, 'id', 'environment', 'updatedAt', 'enabled', 'failingSince', 'deadLetters', 'lastSuccessAt')}
        from ${endpoint} where ${endpoint.environment} = ${each.environment} and ${endpoint.deletedAt} is null
       order by ${endpoint.createdAt} desc, ${endpoint.id} desc limit ${NEWEST}`,
);
const endpoints = sql`
  select ${topicOf('endpoints')}, ${endpointsOfEach.environment.as('environment')},
         ${markOf(endpointsOfEach.id, endpointsOfEach.updatedAt, endpointsOfEach.failingSince, endpointsOfEach.deadLetters, endpointsOfEach.lastSuccessAt)}
    from ${define(each)} cross join lateral ${define(endpointsOfEach)} group by ${endpointsOfEach.environment}`;

const newWithdrawals = subselect(
  'new_withdrawals',
  sql`select ${out(withdrawal, 'id', 'environment', 'status', 'updatedAt')} from ${withdrawal}
       order by ${withdrawal.id} desc limit ${NEWEST}`,
);
const withdrawals = sql`
  select ${topicOf('withdrawals')}, ${newWithdrawals.environment.as('environment')},
         ${markOf(newWithdrawals.id, newWithdrawals.status, newWithdrawals.updatedAt)}
    from ${define(newWithdrawals)} group by ${newWithdrawals.environment}`;
const inFlight = subselect(
  'in_flight',
  sql`select ${out(withdrawal, 'id', 'environment', 'chainRef', 'waitingReason', 'txHash', 'updatedAt')} from ${withdrawal}
       where ${withdrawal.status} = 'broadcasting' order by ${withdrawal.pocketId} limit ${SMALL_SET}`,
);
const sending = sql`
  select ${topicOf('withdrawals')}, ${inFlight.environment.as('environment')},
         ${markOf(inFlight.id, inFlight.waitingReason, inFlight.txHash, inFlight.updatedAt, cursor.headHeight)}
    from ${define(inFlight)} left join ${cursor} on ${cursor.chainRef} = ${inFlight.chainRef}
   group by ${inFlight.environment}`;

const newNotes = subselect(
  'new_notes',
  sql`select ${out(note, 'id', 'environment')} from ${note} order by ${note.id} desc limit ${NEWEST}`,
);
const notes = sql`
  select ${topicOf('notes')}, ${newNotes.environment.as('environment')}, ${markOf(newNotes.id)}
    from ${define(newNotes)} group by ${newNotes.environment}`;

const jobsOfEach = subselect(
  'jobs_of_each',
  sql`select ${out(job, 'id', 'environment', 'status', 'updatedAt')} from ${job}
       where ${job.environment} = ${each.environment} order by ${job.createdAt} desc, ${job.id} desc limit ${NEWEST}`,
);
const jobs = sql`
  select ${topicOf('replay_jobs')}, ${jobsOfEach.environment.as('environment')},
         ${markOf(jobsOfEach.id, jobsOfEach.status, jobsOfEach.updatedAt)}
    from ${define(each)} cross join lateral ${define(jobsOfEach)} group by ${jobsOfEach.environment}`;
const running = subselect(
  'running',
  sql`select ${out(target, 'jobId', 'endpointId', 'status', 'sent', 'skipped')}, ${out(job, 'environment')}
        from ${job} join ${target} on ${target.jobId} = ${job.id} where ${job.status} = 'running'
       order by ${job.createdAt}, ${job.id} limit ${SMALL_SET}`,
);
const progress = sql`
  select ${topicOf('replay_jobs')}, ${running.environment.as('environment')},
         ${markOf(running.jobId, running.endpointId, running.status, running.sent, running.skipped)}
    from ${define(running)} group by ${running.environment}`;

const requestsOfEach = subselect(
  'requests_of_each',
  sql`select ${out(request, 'environment', 'id')} from ${request}
       where ${request.environment} = ${each['environment']} order by ${request.id} desc limit ${NEWEST}`,
);
const requests = sql`
  select ${topicOf('requests')}, ${requestsOfEach.environment.as('environment')}, ${markOf(requestsOfEach.id)}
    from ${define(each)} cross join lateral ${define(requestsOfEach)} group by ${requestsOfEach.environment}`;

/**
 * Reads the marks of all topics. No write is made for them: they follow from what the service stores anyway, read at the
 * ends of indexes and from what is in flight, so the cost does not grow with the tables. What they may miss, such as an old
 * intent whose merchant changes its metadata, pages find when they ask by themselves.
 */
export const changeMarks = sql`
  with recursive ${waitingEndpoints}, ${defineAll([seen, newDeliveries, next, newActions])}
  ${join(
    [
      intents,
      events,
      confirming,
      pending,
      pockets,
      delivered,
      buried,
      attempted,
      failing,
      endpoints,
      withdrawals,
      sending,
      notes,
      jobs,
      progress,
      requests,
      ...serviceMarks,
      ...treasuryMarks,
    ].map((part) => sql`(${part})`),
    ' union all ',
  )}`;
