import java.util.Map;
import java.util.Random;

import javax.persistence.EntityManager;
import javax.persistence.EntityManagerFactory;
import javax.persistence.Persistence;

/**
 * Programs that use EclipseLink.
 *
 * EclipseLinkClient URL SECONDS DATABASE...: the name of a database begins with
 * the name of a persistence unit in META-INF/persistence.xml.
 */
public final class EclipseLinkClient implements Clients.Client {
	private final Class<?> entity;
	private final EntityManagerFactory managers;

	private EclipseLinkClient(String unit, String url) {
		managers = Persistence.createEntityManagerFactory(unit,
			Map.of("javax.persistence.jdbc.url", url, "eclipselink.logging.level", "SEVERE"));
		entity = managers.getMetamodel().getEntities().iterator().next().getJavaType();
	}

	@Override
	public int transaction(Random random) throws ReflectiveOperationException {
		EntityManager manager = managers.createEntityManager();
		int ids = Clients.idsOf(random);

		try {
			manager.getTransaction().begin();
			for (int i = 0; i < ids; i++)
				manager.persist(entity.getDeclaredConstructor().newInstance());
			if (Clients.rollsBack(random)) {
				manager.getTransaction().rollback();
				return 0;
			}
			manager.getTransaction().commit();
			return ids;
		} finally {
			manager.close();
		}
	}

	@Override
	public void close() {
		managers.close();
	}

	public static void main(String[] args) throws Exception {
		Clients.run(args, database -> url -> new EclipseLinkClient(database.split("__")[0], url));
	}
}
