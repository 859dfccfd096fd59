import type { Environment } from '../domain/network.js';
import type { ChangeMark } from './mark.sql.js';
import type { LiveTopic } from './live-topic.js';

/** All marks of a topic in an environment, as one text. */
export type Marks = ReadonlyMap<string, ChangeMark>;

/** Brings the marks of each topic and environment together: their order in an answer means nothing. */
export function marksOf(read: readonly ChangeMark[]): Marks {
  const grouped = Map.groupBy(read, ({ topic, environment }) => `${topic} ${environment}`);
  const joined = (marks: readonly ChangeMark[]): string =>
    marks
      .map(({ mark }) => mark)
      .toSorted()
      .join(' ');
  return new Map(
    [...grouped].flatMap(([key, marks]) => marks.slice(0, 1).map((one) => [key, { ...one, mark: joined(marks) }])),
  );
}

/** The topics of each environment whose marks differ, or are there only once. */
export function changedTopics(before: Marks, after: Marks): ReadonlyMap<Environment, readonly LiveTopic[]> {
  const changed = [...new Map([...before, ...after])].filter(([key]) => before.get(key)?.mark !== after.get(key)?.mark);
  const byEnvironment = Map.groupBy(changed, ([, { environment }]) => environment);
  return new Map([...byEnvironment].map(([environment, marks]) => [environment, marks.map(([, { topic }]) => topic)]));
}
