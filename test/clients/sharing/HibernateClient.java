import java.util.Random;

import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.Configuration;

/**
 * Programs that use Hibernate, with its settings for identifiers.
 *
 * HibernateClient URL SECONDS DATABASE...: the name of a database begins with
 * the name of a case in pairing().
 */
public final class HibernateClient implements Clients.Client {
	private final Class<?> entity;
	private final SessionFactory sessions;

	private HibernateClient(String url, Class<?> entity, String... settings) {
		Configuration configuration = new Configuration()
			.addAnnotatedClass(entity)
			.setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
			.setProperty("hibernate.connection.driver_class", "org.postgresql.Driver")
			.setProperty("hibernate.connection.url", url)
			.setProperty("hibernate.connection.pool_size", "8");

		for (int i = 0; i < settings.length; i += 2)
			configuration.setProperty(settings[i], settings[i + 1]);
		this.entity = entity;
		this.sessions = configuration.buildSessionFactory();
	}

	/** Saves that number of entities. Returns how many are committed. */
	private int save(int ids, boolean rollBack) throws ReflectiveOperationException {
		Session session = sessions.openSession();

		try {
			Transaction transaction = session.beginTransaction();

			for (int i = 0; i < ids; i++)
				session.save(entity.getDeclaredConstructor().newInstance());
			if (rollBack) {
				transaction.rollback();
				return 0;
			}
			transaction.commit();
			return ids;
		} finally {
			session.close();
		}
	}

	@Override
	public int transaction(Random random) throws ReflectiveOperationException {
		return save(Clients.idsOf(random), Clients.rollsBack(random));
	}

	@Override
	public void close() {
		sessions.close();
	}

	/**
	 * The optimizer pooled-lo of Hibernate 3.6 has no lock: two threads get the
	 * same id of it, with a sequence. So only one draws at a time.
	 */
	private static Clients.Client oneAtATime(HibernateClient client) {
		return new Clients.Client() {
			@Override
			public synchronized int transaction(Random random) throws ReflectiveOperationException {
				return client.transaction(random);
			}

			@Override
			public void close() {
				client.close();
			}
		};
	}

	/**
	 * Hibernate 3.6 has its optimizer hilo go on, after its first block, where
	 * that ended, whatever value the sequence gives; later versions do not. So
	 * here, each block is the first one of a factory.
	 */
	private static final class FirstBlocks implements Clients.Client {
		private final String url;

		FirstBlocks(String url) {
			this.url = url;
		}

		@Override
		public int transaction(Random random) throws ReflectiveOperationException {
			HibernateClient client = new HibernateClient(url, ByHilo.class);

			try {
				return client.save(Clients.BLOCK_SIZE, Clients.rollsBack(random));
			} finally {
				client.close();
			}
		}

		@Override
		public void close() {
		}
	}

	private static final String NEW = "hibernate.id.new_generator_mappings";
	private static final String LOW = "hibernate.id.optimizer.pooled.prefer_lo";

	private static Clients.Pairing pairing(String database) {
		switch (database.split("__")[0]) {
			case "pooled_lo":
				return url -> oneAtATime(new HibernateClient(url, BySequence.class, NEW, "true", LOW, "true"));
			case "pooled":
				return url -> new HibernateClient(url, BySequence.class, NEW, "true");
			case "hilo":
				return FirstBlocks::new;
			case "seqhilo":
				return url -> new HibernateClient(url, BySequence.class, NEW, "false");
			case "table_pooled_lo":
				return url -> new HibernateClient(url, ByTable.class, NEW, "true", LOW, "true");
			case "table_pooled":
				return url -> new HibernateClient(url, ByTable.class, NEW, "true");
			case "view_pooled_lo":
				return url -> new HibernateClient(url, ByView.class, NEW, "true", LOW, "true");
			default:
				throw new IllegalArgumentException(database);
		}
	}

	public static void main(String[] args) throws Exception {
		Clients.run(args, HibernateClient::pairing);
	}
}
