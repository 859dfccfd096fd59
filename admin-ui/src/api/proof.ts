/** What the service wants to see before it goes on: the whole sign-in, or the password or code once more. */
export type Proof = 'sign-in' | 'step-up';

/** A proof that a dialog asks for. */
export interface Question {
  readonly proof: Proof;
  readonly answer: (isProven: boolean) => void;
}

interface Asked {
  readonly question: Question;
  readonly answered: Promise<boolean>;
}

/** The last one is shown: a session can end while the dialog of another question is open. */
let asked: readonly Asked[] = [];
let show: ((question: Question | null) => void) | null = null;

/**
 * Asks the person over the page, and resolves to false when they decline. Requests that ask for the same while a dialog is
 * open share its answer.
 */
export function askToProve(proof: Proof): Promise<boolean> {
  if (show === null) return Promise.resolve(false);
  const open = asked.find(({ question }) => question.proof === proof);
  if (open !== undefined) return open.answered;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const one: Asked = {
    question: { proof, answer: resolve },
    answered: promise.finally(() => change(asked.filter((other) => other !== one))),
  };
  change([...asked, one]);
  return one.answered;
}

function change(next: readonly Asked[]): void {
  asked = next;
  show?.(next.at(-1)?.question ?? null);
}

/** Subscribes the dialogs to the question that is to be shown. Returns the end of the subscription. */
export function onQuestion(listener: (question: Question | null) => void): () => void {
  show = listener;
  return () => {
    if (show === listener) show = null;
  };
}
