import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.persistence.EntityManager;
import javax.persistence.EntityManagerFactory;
import javax.persistence.Persistence;

/** EclipseLinkClient STAGE ARGUMENT... */
public final class EclipseLinkClient {
	private static final Path ADOPTED = Paths.get(System.getenv("TMPDIR"), "eclipselink_adopted");

	private static EntityManagerFactory connect(String unit, String generation) {
		return Persistence.createEntityManagerFactory(unit, Map.of(
			"javax.persistence.jdbc.url", Stages.URL,
			"eclipselink.ddl-generation", generation,
			"eclipselink.logging.level", "WARNING"));
	}

	/** Has EclipseLink make the tables what the entities say. */
	private static void migrate(String unit) {
		EntityManager manager = connect(unit, "create-or-extend-tables").createEntityManager();

		manager.getMetamodel();
		manager.close();
	}

	private static Object entity(String table, String item) {
		if (table.equals("parts")) {
			Part part = new Part();

			part.item = item;
			return part;
		}
		if (Files.exists(ADOPTED)) {
			LegacyAdopted legacy = new LegacyAdopted();

			legacy.item = item;
			return legacy;
		}
		Legacy legacy = new Legacy();

		legacy.item = item;
		return legacy;
	}

	private static List<Long> save(EntityManagerFactory managers, String table, String item, int number) {
		EntityManager manager = managers.createEntityManager();
		List<Object> entities = new ArrayList<>();
		List<Long> ids = new ArrayList<>();

		try {
			manager.getTransaction().begin();
			for (int i = 0; i < number; i++) {
				Object entity = entity(table, item);

				manager.persist(entity);
				entities.add(entity);
			}
			manager.getTransaction().commit();
			for (Object entity : entities)
				ids.add((Long) managers.getPersistenceUnitUtil().getIdentifier(entity));
		} finally {
			manager.close();
		}
		return ids;
	}

	private static void draw(String table, String item) throws Exception {
		EntityManagerFactory managers = connect(Files.exists(ADOPTED) ? "LegacyAdopted" : "Legacy", "none");

		Stages.print(save(managers, table, item, 1));
		Stages.print(save(managers, table, item, Stages.ROWS));
		Stages.print(Stages.eightAtOnce(() -> save(managers, table, item, 1).get(0)));
		// the default of the column draws from the same row
		Stages.run(String.format("INSERT INTO %s (item) SELECT '%s' FROM generate_series(1, 100) RETURNING id", table, item));
	}

	public static void main(String[] args) throws Exception {
		switch (args[0]) {
			case "migrate":
				Stages.run("SELECT idgen.idgen_create('parts', block_size => 50, refill => 'auto')");
				migrate("Legacy");
				Stages.run("ALTER TABLE parts ALTER id SET DEFAULT idgen.idgen_next('parts')");
				break;
			case "draw":
				draw(args[1], args[2]);
				break;
			case "adopt":
				Stages.run(Stages.ADOPT);
				Files.createFile(ADOPTED);
				break;
			case "further":
				migrate("LegacyWithNote");
				break;
			case "release":
				Stages.run(Stages.RELEASE);
				Files.delete(ADOPTED);
				break;
			default:
				throw new IllegalArgumentException(args[0]);
		}
		System.exit(0);
	}
}
