import java.util.ArrayList;
import java.util.List;

import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

/** HibernateClient STAGE ARGUMENT... */
public final class HibernateClient {
	private static SessionFactory connect(Class<?> legacy, String hbm2ddl) {
		Configuration configuration = new Configuration()
			.addAnnotatedClass(legacy)
			.addAnnotatedClass(Part.class)
			.setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
			.setProperty("hibernate.connection.driver_class", "org.postgresql.Driver")
			.setProperty("hibernate.connection.url", Stages.URL)
			.setProperty("hibernate.connection.pool_size", "8")
			.setProperty("hibernate.hbm2ddl.auto", hbm2ddl)
			// docs: settings
			.setProperty("hibernate.id.new_generator_mappings", "true")
			.setProperty("hibernate.id.optimizer.pooled.prefer_lo", "true")
			.setProperty("hibernate.jdbc.use_get_generated_keys", "true");
			// docs: end

		return configuration.buildSessionFactory();
	}

	private static List<Long> save(SessionFactory sessions, String table, String item, int number) {
		Session session = sessions.openSession();
		List<Long> ids = new ArrayList<>();

		try {
			session.beginTransaction();
			for (int i = 0; i < number; i++) {
				if (table.equals("parts")) {
					Part part = new Part();

					part.item = item;
					session.save(part);
					ids.add(part.id);
				} else {
					Legacy legacy = new Legacy();

					legacy.item = item;
					session.save(legacy);
					ids.add(legacy.id);
				}
			}
			session.getTransaction().commit();
		} finally {
			session.close();
		}
		return ids;
	}

	private static void draw(String table, String item) throws Exception {
		SessionFactory sessions = connect(Legacy.class, "validate");

		Stages.print(save(sessions, table, item, 1));
		Stages.print(save(sessions, table, item, Stages.ROWS));
		Stages.print(Stages.eightAtOnce(() -> save(sessions, table, item, 1).get(0)));
		// the default of the column draws from the same row
		Stages.run(String.format("INSERT INTO %s (item) SELECT '%s' FROM generate_series(1, 100) RETURNING id", table, item));
	}

	public static void main(String[] args) throws Exception {
		switch (args[0]) {
			case "migrate":
				Stages.run("SELECT idgen.idgen_create('parts', block_size => 50, refill => 'auto')");
				connect(Legacy.class, "update");
				Stages.run("ALTER TABLE parts ALTER id SET DEFAULT idgen.idgen_next('parts')");
				break;
			case "draw":
				draw(args[1], args[2]);
				break;
			case "adopt":
				Stages.run(Stages.ADOPT);
				break;
			case "further":
				connect(LegacyWithNote.class, "update");
				break;
			case "release":
				Stages.run(Stages.RELEASE);
				break;
			default:
				throw new IllegalArgumentException(args[0]);
		}
		System.exit(0);
	}
}
