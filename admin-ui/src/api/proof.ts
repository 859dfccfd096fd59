/** What the service wants to see before it goes on: the whole sign-in, or the password or code once more. */
export type Proof = 'sign-in' | 'step-up';

interface Question {
  readonly proof: Proof;
  readonly answer: (isProven: boolean) => void;
}

let open: { readonly question: Question; readonly answered: Promise<boolean> } | null = null;
let listener: ((question: Question | null) => void) | null = null;

/**
 * Asks the person over the page, and resolves to false when they decline. Requests that ask for the same while the dialog
 * is open share its answer.
 */
export function askToProve(proof: Proof): Promise<boolean> {
  if (listener === null) return Promise.resolve(false);
  if (open?.question.proof === proof) return open.answered;
  let answer: Question['answer'] = () => {};
  const answered = new Promise<boolean>((resolve) => {
    answer = resolve;
  }).finally(() => {
    open = null;
    listener?.(null);
  });
  open = { question: { proof, answer }, answered };
  listener(open.question);
  return answered;
}

/** Shows the questions, one dialog at a time. Returns the end of the subscription. */
export function onQuestion(show: (question: Question | null) => void): () => void {
  listener = show;
  return () => {
    if (listener === show) listener = null;
  };
}
