import { setTimeout as sleep } from 'node:timers/promises';
import { problemWith } from './fuzz.judge.js';
import { type Asked, toBytes } from './fuzz.request.js';
import type { Site } from './site.js';
import { type Answer, Line, NoAnswer } from './wire.js';

export interface Outcome {
  /** The status, or how it ended without one. */
  how: string;
  problem?: string | undefined;
  ms: number;
}

const PATIENCE = 10_000;

/** A connection that sends generated requests one after the other and judges what comes back. */
export class Sender {
  private readonly line: Line;
  constructor(
    private readonly site: Site,
    private readonly port: number,
  ) {
    this.line = new Line(port, PATIENCE);
  }

  close(): void {
    this.line.close();
  }

  async send(asked: Asked): Promise<Outcome> {
    const start = performance.now();
    const outcome = asked.raw ? await this.raw(asked) : await this.exchange(asked);
    return { ...outcome, ms: performance.now() - start };
  }

  private async exchange(asked: Asked): Promise<Omit<Outcome, 'ms'>> {
    const bytes = toBytes(asked, this.site.users);
    const head = asked.method === 'HEAD';
    const used = this.line.open;
    try {
      return judged(await this.line.ask(bytes, head), head || HEAD_BY_POST.test(bytes.toString('latin1', 0, 20_000)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // The server may close a connection at rest just when it is used again, and one that sends too much at once.
      if (used && error.how === 'closed') return this.exchange(asked);
      if (error.how === 'closed' && bytes.length > 1_000_000) return { how: 'closed' };
      return {
        how: error.how,
        problem: `no answer: ${error.message} ${error.received.toString('latin1', 0, 200)}`.trim(),
      };
    }
  }

  /** Silence is an answer to what is no request; what is answered is judged like everything else. */
  private async raw({ raw = [] }: Asked): Promise<Omit<Outcome, 'ms'>> {
    const line = new Line(this.port);
    let last: Omit<Outcome, 'ms'> = { how: 'silence' };
    try {
      await line.connect();
      for (const { after, data, end } of raw) {
        if (after > 0) await sleep(after);
        line.write(data);
        if (end === 'half') line.finish();
        if (end === 'close') return { how: 'left' };
      }
      for (;;) {
        last = judged(
          await line.answer(false, 250),
          raw.some(({ data }) => HEAD_BY_POST.test(data.toString('latin1'))),
        );
        if (last.problem) return last;
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (error.how === 'refused') return { how: 'refused', problem: `no connection: ${error.message}` };
      if (error.how === 'garbage')
        return {
          how: 'garbage',
          problem: `answered with something else: ${error.received.toString('latin1', 0, 200)}`,
        };
      return last;
    } finally {
      line.close();
    }
  }
}

/** A POST that asks for no body (A2). */
const HEAD_BY_POST = /_method=head|x-http-method-override: *head/i;

function judged(answer: Answer, head: boolean): Omit<Outcome, 'ms'> {
  return { how: String(answer.status), problem: problemWith(answer, head) };
}
