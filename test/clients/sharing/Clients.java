import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongPredicate;

/**
 * Programs that draw ids of their own, next to sessions that draw with
 * idgen_next. Each pairing has a database, in which all write what they draw
 * into table drawn: column "who" says who, and no constraint keeps an id from
 * coming twice. All pairings run at the same time.
 *
 * Prints a line for each pairing: its name, and how many ids either side has
 * committed.
 */
final class Clients {
	/** One transaction of the program: returns how many ids it has committed. */
	interface Client extends AutoCloseable {
		int transaction(Random random) throws Exception;
	}

	/** Makes the client for a database. */
	interface Pairing {
		Client connect(String url) throws Exception;
	}

	static final int BLOCK_SIZE = 20;

	private static final int CLIENT_THREADS = 4;
	private static final int IDGEN_THREADS = 2;
	private static final int MOST_IDS = 37;

	/** What a thread of the program draws at least, however long that takes. */
	private static final int LEAST_IDS = 100;

	/** A transaction has a few ids or a few blocks; one in eight is rolled back. */
	static int idsOf(Random random) {
		return 1 + random.nextInt(MOST_IDS);
	}

	static boolean rollsBack(Random random) {
		return random.nextInt(8) == 0;
	}

	/** The other side: idgen_next. */
	private static final class Idgen implements Client {
		private final Connection connection;
		private final PreparedStatement insert;

		Idgen(String url) throws SQLException {
			connection = DriverManager.getConnection(url);
			connection.setAutoCommit(false);
			insert = connection.prepareStatement(
				"INSERT INTO drawn (id, who) SELECT idgen_next('ids'), 'idgen' FROM generate_series(1, ?)");
		}

		@Override
		public int transaction(Random random) throws SQLException {
			int ids = idsOf(random);

			insert.setInt(1, ids);
			insert.executeUpdate();
			if (rollsBack(random)) {
				connection.rollback();
				return 0;
			}
			connection.commit();
			return ids;
		}

		@Override
		public void close() throws SQLException {
			connection.close();
		}
	}

	/** A thread: transactions until the time is over, and as long as "goesOn" says. */
	private static long draw(Client client, long end, LongPredicate goesOn) throws Exception {
		Random random = new Random();
		long ids = 0;

		while (System.nanoTime() < end || goesOn.test(ids))
			ids += client.transaction(random);
		return ids;
	}

	private static long sum(List<Future<Long>> threads) throws Exception {
		long ids = 0;

		for (Future<Long> thread : threads)
			ids += thread.get();
		return ids;
	}

	/** What one pairing has to say when the time is over. */
	private static final class Run {
		final String name;
		final Client client;
		final List<Client> sessions = new ArrayList<>();
		final List<Future<Long>> byClient = new ArrayList<>();
		final List<Future<Long>> byIdgen = new ArrayList<>();

		Run(String name, Pairing pairing, String url) throws Exception {
			this.name = name;
			client = pairing.connect(url);
			for (int i = 0; i < IDGEN_THREADS; i++)
				sessions.add(new Idgen(url));
		}

		void start(ExecutorService threads, long end) {
			for (int i = 0; i < CLIENT_THREADS; i++)
				byClient.add(threads.submit((Callable<Long>) () -> draw(client, end, ids -> ids < LEAST_IDS)));
			for (Client session : sessions)
				byIdgen.add(threads.submit((Callable<Long>) () -> draw(session, end, ids -> clientDraws())));
		}

		private boolean clientDraws() {
			return byClient.stream().anyMatch(thread -> !thread.isDone());
		}

		void finish() throws Exception {
			System.out.println(name + " " + sum(byClient) + " " + sum(byIdgen));
			client.close();
			for (Client session : sessions)
				session.close();
		}
	}

	/**
	 * Runs pairings. The arguments are the URL of a database with %s for its
	 * name, a number of seconds, and the names.
	 */
	static void run(String[] args, Function<String, Pairing> pairingOf) throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		List<Run> runs = new ArrayList<>();

		for (int i = 2; i < args.length; i++)
			runs.add(new Run(args[i], pairingOf.apply(args[i]), String.format(args[0], args[i])));

		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[1]));

		for (Run run : runs)
			run.start(threads, end);
		for (Run run : runs)
			run.finish();
		threads.shutdown();
	}

	private Clients() {
	}
}
