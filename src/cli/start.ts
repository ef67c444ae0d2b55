import type pino from 'pino';
import type { Config } from '../config.js';
import type { ReplicaState } from '../db/database.js';
import { openDatabase } from '../db/open.js';
import { EXIT, Refusal } from './io.js';

/** A running service. */
export interface Started {
  address: string;
  /** Finishes requests in progress; `allClosed`: waits for the processes that share the port before the last ones. */
  close(allClosed?: () => Promise<void>): Promise<void>;
  /** Rejects when the service cannot go on. */
  failed?: Promise<never>;
}

/** Serves in this process. */
export async function startHere(config: Config, logger: pino.Logger): Promise<Started> {
  // Imported here only: the other commands do without the web framework and start faster.
  const { buildApp } = await import('../app.js');
  const database = await openDatabase(config.databaseUrl, {
    connections: config.databaseConnections,
    replicas: config.databaseReplicaUrls,
    replicaChanged: ({ address, inUse, reason }: ReplicaState) =>
      inUse
        ? logger.info({ replica: address }, 'replica in use')
        : logger.warn({ replica: address, reason }, 'replica left out'),
  });
  try {
    const app = await buildApp({ config, database, logger });
    const close = async (allClosed?: () => Promise<void>): Promise<void> => {
      await app.leave();
      await app.close(allClosed).finally(() => database.close());
    };
    const address = await app.listen().catch(async (error: unknown) => {
      await app.close();
      throw listenProblem(error, config);
    });
    return { address, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function listenProblem(error: unknown, { host, port }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reason: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop the other program, or choose another port with --port.`,
    EACCES: `This user may not listen on port ${port} of ${host}. Choose a port of 1024 or above with --port.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}. Choose another with --host.`,
    ENOTFOUND: `The host name ${host} cannot be resolved. Choose another with --host.`,
  };
  const sentence = reason[code ?? ''];
  return sentence ? new Refusal(sentence, EXIT.failed, error) : error;
}
