/** Chores that are due now and then; one after the other, and none while closing. One that fails keeps none from its turn. */
export function repeatedly(pause: number, chores: (() => Promise<unknown>)[], failed: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  async function work(): Promise<void> {
    for (const chore of chores) {
      await chore().catch(failed);
    }
    if (timer) timer = setTimeout(tick, pause).unref();
  }
  const tick = (): void => {
    running = work();
  };
  return {
    start(): void {
      timer = setTimeout(tick, 0).unref();
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}

/** Once in so many seconds, however often it is asked. */
export function seldom(seconds: number, work: () => Promise<void>): () => Promise<void> {
  let next = 0;
  return async () => {
    if (performance.now() < next) return;
    await work();
    next = performance.now() + seconds * 1000;
  };
}
